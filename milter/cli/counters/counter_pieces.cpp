#include <fmt/format.h>
#include <sysexits.h>

#include <nlohmann/json.hpp>

#include "milter/cli/access/printing.h"
#include "milter/cli/counters/counter_commands.h"
#include "milter/judge/message/message_view.h"
#include "mime/fingerprint/piece_type.h"

namespace shingled::milter::cli {

namespace {

Json numbered_json(const mime::Piece& piece) {
  Json json{{"type", to_string(piece.type)}, {"number", static_cast<unsigned>(piece.type)}};
  if (is_pair(piece.type))
    json["piece"] = {piece.first, piece.second};
  else
    json["piece"] = piece.first;
  return json;
}

int print_pieces(const input::SourceMessage& message, const counters::MessagePieces& found,
                 bool json, Console& console) {
  if (json) {
    Json pieces = Json::array();
    for (const mime::Piece& piece : found.pieces) pieces.push_back(numbered_json(piece));
    console.json(
        {{"file", message.name}, {"pieces", std::move(pieces)}, {"dropped", found.dropped}});
    return EX_OK;
  }
  console.line(fmt::format("{}: {}", terminal_safe(message.name),
                           counted(found.pieces.size(), "piece", "pieces")));
  std::vector<TableRow> rows;
  for (const mime::Piece& piece : found.pieces) {
    rows.push_back({std::to_string(static_cast<unsigned>(piece.type)),
                    std::string(to_string(piece.type)), terminal_safe(text_of(piece))});
  }
  print_table(rows, "  ", console);
  if (found.dropped > 0)
    console.note(fmt::format("{} more: a limit on pieces was reached", found.dropped));
  return EX_OK;
}

}  // namespace

int run_counter_pieces(PiecesArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load_if_allowed(console);
  if (!settings) return EX_CONFIG;
  if (Status ready = arguments.envelope.finish(); !ready) {
    console.error("--client", ready.error().message);
    return EX_USAGE;
  }
  const judge::ViewPlan plan = arguments.envelope.plan_of(*settings);
  return for_each_message(
      arguments.messages, {.message_bytes_max = settings->milter.message_bytes_max}, console,
      [&](const input::SourceMessage& message) {
        const auto found = judge::pieces_of(message.bytes, plan, arguments.envelope.envelope);
        return print_pieces(message, found, arguments.json, console);
      });
}

}  // namespace shingled::milter::cli
