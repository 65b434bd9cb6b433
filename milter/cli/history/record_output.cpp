#include "milter/cli/history/record_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/base/byte_reader.h"
#include "milter/history/message_record.h"
#include "milter/replay/history_span.h"
#include "milter/view/feature_json.h"
#include "milter/view/message_json.h"
#include "storage/counters/counter.h"

namespace shingled::milter::cli {

namespace {

using history::EvidenceRecord;
using history::FoundMessage;
using history::MessageRecord;
using history::PieceRecord;
using rules::Evidence;

std::string evidence_text(const MessageRecord& record) {
  std::string out;
  for (const EvidenceRecord& evidence : record.evidence) {
    out += fmt::format("{}{} {:.2f}", out.empty() ? "" : ", ", terminal_safe(evidence.symbol),
                       evidence.score);
    if (!evidence.place.empty()) out += fmt::format(" [{}]", terminal_safe(evidence.place));
    if (evidence.effect != Evidence::Effect::kCounts)
      out += fmt::format(" ({})", view::effect_text(evidence.effect));
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
    TableRow row = {view::type_text(piece.type), fmt::format("{:08x}", piece.shingle)};
    for (std::size_t w = 0; w < windows; ++w)
      row.push_back(piece.known ? view::sums_text(record.sums[i * windows + w]) : "unknown");
    rows.push_back(std::move(row));
  }
  print_table(rows, "  ", console);
}

}  // namespace

TableRow message_row(const FoundMessage& message) {
  const bool labelled = message.row.label != 0;
  return {replay::moment_text(message.row.time),
          terminal_safe(as_text(message.row.queue_id)),
          std::string(history::action_text(message.row.action)),
          fmt::format("{:.2f}", message.record.score),
          labelled ? fmt::format("reported {}", history::label_text(message.row.label)) : "",
          evidence_text(message.record)};
}

void print_message(const FoundMessage& message, Console& console) {
  const MessageRecord& record = message.record;
  console.line(fmt::format("{}  {}  {}, score {:.2f}", replay::moment_text(message.row.time),
                           terminal_safe(as_text(message.row.queue_id)),
                           history::action_text(message.row.action), record.score));
  const auto name = [&](const char* what, BytesView text) {
    if (!text.empty()) console.line(fmt::format("  {} {}", what, terminal_safe(as_text(text))));
  };
  name("from", message.row.sender_name);
  std::string recipients(as_text(message.row.recipients));
  if (!recipients.empty()) recipients.pop_back();
  std::ranges::replace(recipients, '\n', ' ');
  name("to", as_bytes(recipients));
  name("subject", message.row.subject);
  if (message.row.label != 0)
    console.line(fmt::format("  reported as {}", history::label_text(message.row.label)));
  if (message.row.is_kept)
    console.line("  can be reported: shingled report --spam|--ham --message " +
                 terminal_safe(history::message_name(message.row)));
  for (const std::string& remark : remarks_of(record)) console.line("  " + remark);
  if (!record.evidence.empty()) {
    console.line("evidence:");
    std::vector<TableRow> rows;
    for (const EvidenceRecord& evidence : record.evidence) {
      rows.push_back({terminal_safe(evidence.symbol), fmt::format("{:.2f}", evidence.score),
                      std::string(view::effect_text(evidence.effect)),
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
