#include "milter/cli/history/record_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "config/base/byte_reader.h"
#include "milter/cli/access/counter_client.h"
#include "milter/cli/output/feature_output.h"
#include "milter/history/message_record.h"
#include "milter/replay/history_span.h"
#include "milter/rules/verdict.h"
#include "storage/counters/counter.h"

namespace shingled::milter::cli {

namespace {

using history::EvidenceRecord;
using history::MessageRecord;
using history::PieceRecord;
using rules::Evidence;

std::string_view effect_text(Evidence::Effect effect) {
  switch (effect) {
    case Evidence::Effect::kCounts:
      return "counts";
    case Evidence::Effect::kSpared:
      return "spared";
    case Evidence::Effect::kDropped:
      return "no effect";
    case Evidence::Effect::kTried:
      return "in shadow";
  }
  return "counts";
}

std::string type_text(PieceType type) {
  const PieceTypeRow* row = find_piece_type(static_cast<std::uint64_t>(type));
  return row == nullptr ? fmt::format("type {}", static_cast<unsigned>(type))
                        : std::string(row->name);
}

std::string evidence_text(const MessageRecord& record) {
  std::string out;
  for (const EvidenceRecord& evidence : record.evidence) {
    out += fmt::format("{}{} {:.2f}", out.empty() ? "" : ", ", terminal_safe(evidence.symbol),
                       evidence.score);
    if (!evidence.place.empty()) out += fmt::format(" [{}]", terminal_safe(evidence.place));
    if (evidence.effect != Evidence::Effect::kCounts)
      out += fmt::format(" ({})", effect_text(evidence.effect));
  }
  return out;
}

/// What was special about the verdict.
std::vector<std::string> remarks_of(const MessageRecord& record) {
  std::vector<std::string> out;
  if (record.unseen) out.emplace_back("judged without a look at it");
  if (record.failed) out.emplace_back("the failure policy decided");
  if (record.incomplete) out.emplace_back("some of it was not looked at, or not answered");
  if (record.dry_run) out.emplace_back("dry run: the action was not carried out");
  return out;
}

void print_counters(const MessageRecord& record, Console& console) {
  const std::size_t windows = record.windows.size();
  if (record.pieces.empty()) return;
  console.line("counters, as they were before the message:");
  std::vector<TableRow> rows;
  rows.push_back({"type", "piece"});
  for (const auto& window : record.windows) rows[0].push_back(to_string(window));
  for (std::size_t i = 0; i < record.pieces.size(); ++i) {
    const PieceRecord& piece = record.pieces[i];
    TableRow row = {type_text(piece.type), fmt::format("{:08x}", piece.shingle)};
    for (std::size_t w = 0; w < windows; ++w)
      row.push_back(piece.known ? sums_text(record.sums[i * windows + w]) : "unknown");
    rows.push_back(std::move(row));
  }
  print_table(rows, "  ", console);
}

}  // namespace

std::string action_text(std::uint8_t action) {
  if (action > static_cast<std::uint8_t>(rules::Action::kDiscard)) return "unknown";
  return std::string(to_string(static_cast<rules::Action>(action)));
}

std::string label_text(std::uint8_t label) {
  if (label > static_cast<std::uint8_t>(history::Label::kHam)) return "unknown";
  return std::string(to_string(static_cast<history::Label>(label)));
}

TableRow message_row(const ShownMessage& message) {
  const bool labelled = message.row.label != 0;
  return {replay::moment_text(message.row.time),
          terminal_safe(as_text(message.row.queue_id)),
          action_text(message.row.action),
          fmt::format("{:.2f}", message.record.score),
          labelled ? "reported " + label_text(message.row.label) : "",
          evidence_text(message.record)};
}

Json message_json(const ShownMessage& message) {
  const MessageRecord& record = message.record;
  Json evidence = Json::array();
  for (const EvidenceRecord& item : record.evidence) {
    evidence.push_back({{"symbol", item.symbol},
                        {"score", item.score},
                        {"effect", effect_text(item.effect)},
                        {"policy", item.policy}});
    if (!item.place.empty()) evidence.back()["place"] = item.place;
  }
  return {{"time", replay::moment_text(message.row.time)},
          {"queue_id", std::string(as_text(message.row.queue_id))},
          {"action", action_text(message.row.action)},
          {"score", record.score},
          {"label", message.row.label == 0 ? Json(nullptr) : Json(label_text(message.row.label))},
          {"failed", record.failed},
          {"unseen", record.unseen},
          {"incomplete", record.incomplete},
          {"dry_run", record.dry_run},
          {"evidence", evidence}};
}

Json whole_message_json(const ShownMessage& message) {
  const MessageRecord& record = message.record;
  Json out = message_json(message);
  out["features"] = features_json(record.features);
  Json counters = Json::array();
  const std::size_t windows = record.windows.size();
  for (std::size_t i = 0; i < record.pieces.size(); ++i) {
    Json sums = Json::object();
    for (std::size_t w = 0; w < windows; ++w)
      sums[to_string(record.windows[w])] = sums_json(record.sums[i * windows + w]);
    const bool known = record.pieces[i].known;
    counters.push_back({{"type", type_text(record.pieces[i].type)},
                        {"piece", fmt::format("{:08x}", record.pieces[i].shingle)},
                        {"known", known},
                        {"sums", known ? sums : Json(nullptr)}});
  }
  out["counters"] = counters;
  return out;
}

void print_message(const ShownMessage& message, Console& console) {
  const MessageRecord& record = message.record;
  console.line(fmt::format("{}  {}  {}, score {:.2f}", replay::moment_text(message.row.time),
                           terminal_safe(as_text(message.row.queue_id)),
                           action_text(message.row.action), record.score));
  if (message.row.label != 0) console.line("  reported as " + label_text(message.row.label));
  for (const std::string& remark : remarks_of(record)) console.line("  " + remark);
  if (!record.evidence.empty()) {
    console.line("evidence:");
    std::vector<TableRow> rows;
    for (const EvidenceRecord& evidence : record.evidence) {
      rows.push_back({terminal_safe(evidence.symbol), fmt::format("{:.2f}", evidence.score),
                      std::string(effect_text(evidence.effect)),
                      evidence.policy          ? "a rule of the policy"
                      : evidence.place.empty() ? ""
                                               : terminal_safe(evidence.place)});
    }
    print_table(rows, "  ", console);
  }
  std::vector<TableRow> rows;
  for (const features::FeatureRow& row : features::features()) {
    if (record.features.is_known(row.feature))
      rows.push_back(
          {std::string(row.name), terminal_safe(to_string(record.features, row.feature))});
  }
  if (!rows.empty()) {
    console.line("features:");
    print_table(rows, "  ", console);
  }
  print_counters(record, console);
}

}  // namespace shingled::milter::cli
