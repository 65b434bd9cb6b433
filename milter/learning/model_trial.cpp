#include "milter/learning/model_trial.h"

#include <utility>

#include "config/base/byte_reader.h"
#include "milter/history/row_code.h"
#include "milter/replay/history_span.h"
#include "milter/rules/verdict.h"

namespace shingled::milter::learning {

namespace {

using rules::Action;
using storage::sqlite::HistoryReader;

void add_row(const HistoryReader::View& row, const model::ModelInForce& in_force,
             const ActionOptions& actions, history::MessageRecord& record, ModelTrial& out) {
  if (!history::decode_record(row.details, record)) {
    ++out.broken;
    return;
  }
  if (record.unseen || record.failed || row.label >= out.parts.size()) return;
  const double others = model::score_of_others(record);
  rules::ModelWord word = model::word_of(in_force, record, actions);
  const Action from = rules::choose_action(others, actions);
  const Action to = rules::choose_action(others + word.score, actions);
  ModelTrial::Part& part = out.parts[row.label];
  ++part.messages;
  part.marked_before += from >= Action::kAddHeader ? 1 : 0;
  part.marked_with += to >= Action::kAddHeader ? 1 : 0;
  part.stopped_before += from > Action::kAddHeader ? 1 : 0;
  part.stopped_with += to > Action::kAddHeader ? 1 : 0;
  if (from == to) return;
  if (out.changes.size() == ModelTrial::kChanges) out.changes.erase(out.changes.begin());
  out.changes.push_back(
      {row.time, std::string(as_text(row.queue_id)), from, to, others, std::move(word)});
}

}  // namespace

Result<ModelTrial> try_model(const std::string& file, const HistoryReader::Span& span,
                             const model::ModelInForce& in_force, const ActionOptions& actions,
                             const storage::Watcher& watcher) {
  auto reader = HistoryReader::open(file);
  if (!reader) return reader.error();
  const auto ends = (*reader)->ends();
  if (!ends) return ends.error();
  ModelTrial out;
  if (!*ends) return out;
  const replay::TimeSlices slices(span, **ends);
  history::MessageRecord record;
  for (std::uint64_t slice = 0; !slices.empty() && slice < replay::TimeSlices::kCount; ++slice) {
    const Status read = (*reader)->read(slices.at(slice), [&](const HistoryReader::View& row) {
      add_row(row, in_force, actions, record, out);
      return true;
    });
    if (!read) return read.error();
    if (!watcher({.step = "trying", .done = slice, .total = replay::TimeSlices::kCount}))
      return storage::stopped();
  }
  return out;
}

}  // namespace shingled::milter::learning
