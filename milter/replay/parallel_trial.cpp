#include "milter/replay/parallel_trial.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

namespace shingled::milter::replay {

namespace {

using storage::sqlite::HistoryReader;

/// Slices of the time, so that both threads end at about the same moment.
constexpr std::uint64_t kSlices = 256;

/// What the threads share.
struct Slices {
  std::int64_t since = 0;
  std::uint64_t length = 0;  ///< microseconds, at least 1
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> done{0};
  std::atomic<bool> stop{false};

  [[nodiscard]] HistoryReader::Span at(std::uint64_t slice) const {
    const auto edge = [&](std::uint64_t part) {
      return since +
             static_cast<std::int64_t>(length / kSlices * part + length % kSlices * part / kSlices);
    };
    return {edge(slice), edge(slice + 1)};
  }
};

/// Takes slices until there are no more. `after`: called after each; false = stop.
Status try_slices(const std::string& file, Slices& slices, RuleTrial& trial,
                  const std::function<bool()>& after) {
  auto reader = HistoryReader::open(file);
  if (!reader) return reader.error();
  for (;;) {
    const std::uint64_t slice = slices.next.fetch_add(1);
    if (slice >= kSlices || slices.stop) return {};
    const Status read = (*reader)->read(slices.at(slice), [&](const HistoryReader::View& row) {
      trial.add(row);
      return true;
    });
    slices.done.fetch_add(1);
    if (!read) slices.stop = true;
    if (!read) return read;
    if (!after()) {
      slices.stop = true;
      return storage::stopped();
    }
  }
}

}  // namespace

Result<TrialReport> try_rules(const std::string& file, const HistoryReader::Span& span,
                              const policy::CompiledRules& rules, const ActionOptions& actions,
                              const storage::Watcher& watcher) {
  Slices slices;
  {
    auto reader = HistoryReader::open(file);
    if (!reader) return reader.error();
    const auto ends = (*reader)->ends();
    if (!ends) return ends.error();
    if (*ends) {
      slices.since = std::max(span.since, (*ends)->first);
      const std::int64_t until =
          std::min(span.until, (*ends)->last < INT64_MAX ? (*ends)->last + 1 : INT64_MAX);
      if (until > slices.since)
        slices.length =
            static_cast<std::uint64_t>(until) - static_cast<std::uint64_t>(slices.since);
    }
  }
  RuleTrial here(rules, actions);
  TrialReport report = here.report();
  if (slices.length == 0) return report;

  RuleTrial there(rules, actions);
  Status there_done;
  Status here_done;
  {
    const std::jthread other(
        [&] { there_done = try_slices(file, slices, there, [] { return true; }); });
    here_done = try_slices(file, slices, here, [&] {
      return watcher({.step = "trying", .done = slices.done.load(), .total = kSlices});
    });
  }
  if (!here_done) return here_done.error();
  if (!there_done) return there_done.error();
  report += here.report();
  report += there.report();
  return report;
}

}  // namespace shingled::milter::replay
