#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/input/message_loop.h"
#include "milter/counters/message_pieces.h"
#include "mime/fingerprint/piece_type.h"
#include "mime/model/work_meter.h"
#include "mime/pieces/text_collector.h"

namespace shingled::milter::cli {

namespace {

struct PieceArguments {
  std::shared_ptr<SettingsArguments> settings;
  MessageArguments messages;
  counters::Envelope envelope;
  std::string client;
  PieceOptions options;
  bool json = false;
};

/// The pieces of a message as the milter counts them, and how many met a bound.
counters::MessagePieces pieces_of(std::string_view bytes, const PieceArguments& arguments,
                                  const MimeOptions& mime) {
  const mime::Analysis analysis = mime::analyze(bytes, mime);
  mime::WorkMeter work(mime::steps_for(bytes.size(), mime.work_max));
  mime::TextCollector texts(analysis, arguments.options, work);
  HashOptions hash;
  hash.robust = true;
  const mime::HashRule rule(std::move(hash));
  const mime::MessageHashes hashes = mime::hash_message(
      analysis, std::span(&rule, 1),
      [&](std::size_t part, const mime::TextStages& text) { texts.add(part, text); });
  return counters::message_pieces({.bytes = bytes,
                                   .analysis = analysis,
                                   .hashes = hashes.of_rule.front(),
                                   .texts = &texts.pieces()},
                                  arguments.envelope, arguments.options, work);
}

Json piece_json(const mime::Piece& piece) {
  Json json{{"type", to_string(piece.type)}, {"number", static_cast<unsigned>(piece.type)}};
  if (is_pair(piece.type))
    json["piece"] = {piece.first, piece.second};
  else
    json["piece"] = piece.first;
  return json;
}

int print_pieces(const SourceMessage& message, const PieceArguments& arguments,
                 const MimeOptions& mime, Console& console) {
  const counters::MessagePieces found = pieces_of(message.bytes, arguments, mime);
  if (arguments.json) {
    Json pieces = Json::array();
    for (const mime::Piece& piece : found.pieces) pieces.push_back(piece_json(piece));
    console.json(
        {{"file", message.name}, {"pieces", std::move(pieces)}, {"dropped", found.dropped}});
    return EX_OK;
  }
  console.line(fmt::format("{}: {}", terminal_safe(message.name),
                           counted(found.pieces.size(), "piece", "pieces")));
  std::vector<TableRow> rows;
  for (const mime::Piece& piece : found.pieces) {
    rows.push_back({std::to_string(static_cast<unsigned>(piece.type)),
                    std::string(to_string(piece.type)), terminal_safe(piece.first)});
    if (is_pair(piece.type)) rows.back().back() += "  +  " + terminal_safe(piece.second);
  }
  for (const std::string& line : table_lines(rows, "  ")) console.line(line);
  if (found.dropped > 0)
    console.note(fmt::format("{} more: a limit on pieces was reached", found.dropped));
  return EX_OK;
}

int run_pieces(PieceArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (!settings) return EX_CONFIG;
  if (!arguments.client.empty()) {
    arguments.envelope.client = IpAddress::parse(arguments.client);
    if (!arguments.envelope.client) {
      console.error("--client", terminal_safe(arguments.client) + " is not an IP address");
      return EX_USAGE;
    }
  }
  return for_each_message(arguments.messages,
                          {.message_bytes_max = settings->milter.message_bytes_max}, console,
                          [&](const SourceMessage& message) {
                            return print_pieces(message, arguments, settings->mime, console);
                          });
}

void add_pieces(CLI::App& parent, std::shared_ptr<SettingsArguments> settings, Command& chosen) {
  CLI::App* command = parent.add_subcommand(
      "pieces", "Show the pieces of messages that are counted: addresses, links, names of files");
  command->footer(
      R"(A file does not have the envelope of its message. The options give what the mail server would know.

Example:
  shingled counters pieces --sender a@example.org --client 192.0.2.1 message.eml)");
  command->fallthrough();
  const auto arguments = std::make_shared<PieceArguments>();
  arguments->settings = std::move(settings);
  arguments->messages.add_to(*command);
  command->add_flag("--json", arguments->json, "One JSON object per line and message");
  counters::Envelope& envelope = arguments->envelope;
  command->add_option("--sender", envelope.sender, "Envelope sender; <> for a bounce")
      ->type_name("ADDRESS");
  command->add_option("--recipient", envelope.recipients, "Envelope recipient; may be repeated")
      ->type_name("ADDRESS")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--client", arguments->client, "Address of the client")->type_name("IP");
  command->add_option("--client-name", envelope.client_name, "Verified host name of the client")
      ->type_name("HOST");
  command->add_option("--helo", envelope.helo, "HELO name of the client")->type_name("NAME");
  command->add_option("--user", envelope.user, "User of SMTP AUTH")->type_name("NAME");
  command
      ->add_option("--authserv-id", arguments->options.authserv_ids,
                   "Believe Authentication-Results of this server; may be repeated")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->callback([arguments, &chosen] {
    chosen = [arguments](Console& console) { return run_pieces(*arguments, console); };
  });
}

}  // namespace

void add_counters_command(CLI::App& app, Command& chosen) {
  CLI::App* counters = app.add_subcommand("counters", "What is counted of messages");
  counters->footer("Example:\n  shingled counters pieces message.eml");
  counters->require_subcommand(1);
  const auto settings = std::make_shared<SettingsArguments>();
  settings->add_to(*counters);
  add_pieces(*counters, settings, chosen);
}

}  // namespace shingled::milter::cli
