#include "milter/replay/change_trial.h"

#include <numeric>
#include <set>
#include <utility>

#include "config/base/byte_reader.h"
#include "milter/replay/row_replay.h"

namespace shingled::milter::replay {

namespace {

using storage::sqlite::HistoryReader;

/// One pass over rows.
class ChangeTrial {
 public:
  ChangeTrial(const RuleChange& change, const ActionOptions& actions, std::size_t examples_max)
      : change_(change),
        examples_max_(examples_max),
        windows_(windows_of(change.after)[change.rule]),
        before_(change.before, actions),
        after_(change.after, actions) {}

  void add(const HistoryReader::View& row, ChangeReport& report) {
    const auto taken = after_.take(row);
    if (taken == RowReplay::Taken::kBroken) ++report.broken;
    if (taken == RowReplay::Taken::kUnseen) ++report.unseen;
    if (taken != RowReplay::Taken::kTried) return;
    static_cast<void>(before_.take(row));
    const auto action = static_cast<rules::Action>(row.action);
    const TrialCounts counts = counts_of_message(row.label, action, !after_.record().failed);
    report.messages += counts;
    if (after_.evaluation().fires(change_.rule)) report.hits += counts;
    for (const std::string& window : after_.lacking())
      if (windows_.contains(window)) ++report.lacking[window];
    const auto from = before_.with(policy::effect_of(change_.before, before_.evaluation()));
    const auto to = after_.with(policy::effect_of(change_.after, after_.evaluation()));
    if (from.action == to.action) return;
    ++report.changes[static_cast<std::size_t>(from.action)][static_cast<std::size_t>(to.action)];
    if (report.examples.size() == examples_max_) return;
    report.examples.push_back({.time = row.time,
                               .queue_id = std::string(as_text(row.queue_id)),
                               .from = from.action,
                               .to = to.action,
                               .score_from = from.score,
                               .score_to = to.score});
  }

 private:
  const RuleChange& change_;
  const std::size_t examples_max_;
  const std::set<std::string> windows_;  ///< that the rule asks
  RowReplay before_;
  RowReplay after_;
};

}  // namespace

std::uint64_t ChangeReport::changed() const {
  std::uint64_t out = 0;
  for (const auto& row : changes) out = std::accumulate(row.begin(), row.end(), out);
  return out;
}

Result<ChangeReport> try_change(HistoryReader& reader, const HistoryReader::Span& span,
                                const RuleChange& change, const ActionOptions& actions,
                                const ChangeBounds& bounds) {
  constexpr std::uint64_t kAskEvery = 64;
  ChangeTrial trial(change, actions, bounds.examples_max);
  ChangeReport report;
  std::uint64_t rows = 0;
  const Status read = reader.read_back(span, [&](const HistoryReader::View& row) {
    report.complete = rows < bounds.rows_max && (rows % kAskEvery != 0 || bounds.go_on());
    if (!report.complete) return false;
    ++rows;
    report.since = row.time;
    trial.add(row, report);
    return true;
  });
  if (!read) return read.error();
  return report;
}

}  // namespace shingled::milter::replay
