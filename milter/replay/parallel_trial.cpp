#include "milter/replay/parallel_trial.h"

#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "milter/replay/time_slices.h"

namespace shingled::milter::replay {

namespace {

using storage::sqlite::HistoryReader;

/// What the threads share.
struct SharedWork {
  TimeSlices slices;
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> done{0};
  std::atomic<bool> stop{false};
};

/// Takes slices until there are no more. `after`: called after each; false = stop.
Status try_slices(const std::string& file, SharedWork& work, RuleTrial& trial,
                  const std::function<bool()>& after) {
  auto reader = HistoryReader::open(file);
  if (!reader) return reader.error();
  for (;;) {
    const std::uint64_t slice = work.next.fetch_add(1);
    if (slice >= TimeSlices::kCount || work.stop) return {};
    const Status read = (*reader)->read(work.slices.at(slice), [&](const HistoryReader::View& row) {
      trial.add(row);
      return true;
    });
    work.done.fetch_add(1);
    if (!read) work.stop = true;
    if (!read) return read;
    if (!after()) {
      work.stop = true;
      return storage::stopped();
    }
  }
}

}  // namespace

Result<TrialReport> try_rules(const std::string& file, const HistoryReader::Span& span,
                              const policy::CompiledRules& rules, const ActionOptions& actions,
                              const storage::Watcher& watcher) {
  RuleTrial here(rules, actions);
  TrialReport report = here.report();
  auto reader = HistoryReader::open(file);
  if (!reader) return reader.error();
  const auto ends = (*reader)->ends();
  if (!ends) return ends.error();
  if (!*ends) return report;
  SharedWork work{.slices = TimeSlices(span, **ends)};
  if (work.slices.empty()) return report;

  RuleTrial there(rules, actions);
  Status there_done;
  Status here_done;
  {
    const std::jthread other(
        [&] { there_done = try_slices(file, work, there, [] { return true; }); });
    here_done = try_slices(file, work, here, [&] {
      return watcher({.step = "trying", .done = work.done.load(), .total = TimeSlices::kCount});
    });
  }
  if (!here_done) return here_done.error();
  if (!there_done) return there_done.error();
  report += here.report();
  report += there.report();
  return report;
}

}  // namespace shingled::milter::replay
