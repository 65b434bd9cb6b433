#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "milter/cli/access/message_option.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/desk/servers/server_choice.h"
#include "milter/view/stages.h"
#include "mime/analyze.h"

namespace shingled::milter::cli {

namespace {

struct HashArguments {
  SettingsArguments settings;
  MessageArguments messages;
  std::string rule;
  std::string compat;
  bool robust = false;
  bool json = false;
  bool stages = false;
  bool mailed = false;
};

Json shingles_json(const Fingerprint& fingerprint) {
  if (!fingerprint.shingles) return nullptr;
  Json numbers = Json::array();
  for (const std::uint64_t shingle : *fingerprint.shingles)
    numbers.push_back(std::to_string(shingle));
  return numbers;
}

Json part_json(const mime::PartHash& hash) {
  return {{"part", hash.part},
          {"kind", mime::to_string(hash.kind)},
          {"method", mime::to_string(hash.method)},
          {"algorithm", mime::to_string(hash.algorithm)},
          {"words", hash.words},
          {"bytes", hash.bytes},
          {"digest", to_hex(hash.fingerprint.digest.bytes)},
          {"shingles", shingles_json(hash.fingerprint)}};
}

void print_part(const mime::PartHash& hash, Console& console) {
  constexpr std::size_t kShinglesALine = 4;
  console.line(fmt::format("  part {}  {}  {}  {}  {} words  {} bytes",
                           hash.part.empty() ? "-" : hash.part, mime::to_string(hash.kind),
                           mime::to_string(hash.method), mime::to_string(hash.algorithm),
                           hash.words, hash.bytes));
  console.line("    " + to_hex(hash.fingerprint.digest.bytes));
  if (!hash.fingerprint.shingles) return;
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < kShingleCount; ++i) {
    if (i % kShinglesALine == 0) rows.emplace_back();
    rows.back().push_back(std::to_string((*hash.fingerprint.shingles)[i]));
  }
  print_table(rows, "    ", console);
}

/// The message with lines that end in CRLF, as mail servers pass it on and the milter, `add` and
/// `scan` see it.
std::string as_mailed(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\n' && (i == 0 || bytes[i - 1] != '\r')) out += '\r';
    out += bytes[i];
  }
  return out;
}

/// Says which hashes are others in the mail. People look them up, and find nothing.
void tell_difference(const input::SourceMessage& message, const std::vector<mime::PartHash>& stored,
                     const MimeOptions& mime, const mime::HashRule& rule, Console& console) {
  const std::string mailed = as_mailed(message.bytes);
  if (mailed == message.bytes) return;
  const auto hashes = mime::hash_message(mime::analyze(mailed, mime), rule);
  const auto differ = std::ranges::count_if(stored, [&](const mime::PartHash& hash) {
    return std::ranges::find(hashes, hash.fingerprint.digest, [](const mime::PartHash& other) {
             return other.fingerprint.digest;
           }) == hashes.end();
  });
  if (differ == 0) return;
  console.note(fmt::format(
      "{}: lines end in LF; with the CRLF of mail, as the milter and `add` see it, {} of {} hashes "
      "{} another (--mailed shows them)",
      terminal_safe(message.name), differ, stored.size(), differ == 1 ? "is" : "are"));
}

int print_hashes(const input::SourceMessage& message, const HashArguments& arguments,
                 const MimeOptions& mime, const mime::HashRule& rule, Console& console) {
  const mime::Analysis analysis = mime::analyze(message.bytes, mime);
  if (arguments.stages) {
    console.json(view::stages_json(message.name, analysis));
    return EX_OK;
  }
  const auto hashes = mime::hash_message(analysis, rule);
  if (!arguments.mailed) tell_difference(message, hashes, mime, rule, console);
  if (arguments.json) {
    Json parts = Json::array();
    for (const auto& part : hashes) parts.push_back(part_json(part));
    console.json({{"file", message.name}, {"parts", std::move(parts)}});
    return EX_OK;
  }
  console.line(
      fmt::format("{}: {}", terminal_safe(message.name), counted(hashes.size(), "hash", "hashes")));
  for (const auto& part : hashes) print_part(part, console);
  return EX_OK;
}

int run_hash(const HashArguments& arguments, Console& console) {
  // A rule is in the settings; without one, the hashes are those of the defaults anyway.
  const auto settings = arguments.rule.empty() ? arguments.settings.load_if_allowed(console)
                                               : arguments.settings.load(console);
  if (!settings) return EX_CONFIG;
  HashOptions hash;  // the compatible defaults, unless a rule is named
  if (!arguments.rule.empty()) {
    const auto rule = desk::find_rule(*settings, arguments.rule);
    if (!rule) {
      console.error("hash", rule.error().message);
      return EX_USAGE;
    }
    hash = (*rule)->hash;
  }
  if (arguments.robust) hash.robust = true;
  const mime::HashRule hash_rule(std::move(hash));
  MimeOptions mime = settings->mime;
  if (!arguments.compat.empty()) {
    mime.compat = arguments.compat == "rspamd-3" ? Compat::kRspamd3 : Compat::kRspamd4;
  }
  return for_each_message(
      arguments.messages,
      {.message_bytes_max = settings->milter.message_bytes_max,
       .line_ends = arguments.mailed ? input::LineEnds::kAsMailed : input::LineEnds::kAsStored},
      console, [&](const input::SourceMessage& message) {
        return print_hashes(message, arguments, mime, hash_rule, console);
      });
}

}  // namespace

void add_hash_command(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("hash", "Digests and shingles of messages; asks no server");
  command->footer(
      R"(Without --rule, only the hashes that rspamd makes with its default rule. A file is hashed as it is, as rspamc does. The milter and
the other commands see lines that end in CRLF, as in mail servers; an attachment that is sent as plain text (7bit,
8bit) then has another hash. Where that makes a difference, a note says so; --mailed shows what they see.

Example:
  shingled hash --json message.eml
  shingled hash --stages message.eml)");
  const auto arguments = std::make_shared<HashArguments>();
  arguments->settings.add_to(*command);
  add_message_option(arguments->messages.names, *command);
  command->add_flag("--json", arguments->json, "One JSON object per line and message");
  command->add_flag("--stages", arguments->stages,
                    "Instead of hashes, show how they are made, stage by stage, as JSON");
  command->add_flag("--mailed", arguments->mailed,
                    "With lines that end in CRLF, as the milter, add and scan see the file");
  command->add_option("--rule", arguments->rule, "Rule of the configuration to use")
      ->type_name("NAME");
  command->add_flag("--robust", arguments->robust,
                    "Also our robust hash, as in rules for the embedded storage");
  command->add_option("--compat", arguments->compat, "rspamd version whose hashes to make")
      ->type_name("rspamd-3|rspamd-4")
      ->check(CLI::IsMember({"rspamd-3", "rspamd-4"}));
  when_asked(*command, chosen, arguments, run_hash);
}

}  // namespace shingled::milter::cli
