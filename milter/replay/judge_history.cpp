#include "milter/replay/judge_history.h"

#include "milter/replay/time_slices.h"

namespace shingled::milter::replay {

namespace {

using storage::sqlite::HistoryReader;

Status read_slices(HistoryReader& reader, const TimeSlices& slices, ShadowTrial& trial,
                   const storage::Watcher& watcher) {
  std::uint64_t rows = 0;
  for (std::uint64_t slice = 0; slice < TimeSlices::kCount; ++slice) {
    const storage::WorkDone work{.step = "judging", .done = slice, .total = TimeSlices::kCount};
    bool go_on = true;
    const Status read = reader.read(slices.at(slice), [&](const HistoryReader::View& row) {
      trial.add(row);
      go_on = ++rows % kJudgeEvery != 0 || watcher(work);
      return go_on;
    });
    if (!read) return read;
    if (!go_on || !watcher(work)) return storage::stopped();
  }
  return {};
}

}  // namespace

Result<HistoryReport> judge_history(const std::string& file, const policy::CompiledRules& rules,
                                    const std::vector<JudgedRule>& judged,
                                    const ActionOptions& actions, const storage::Watcher& watcher) {
  auto reader = HistoryReader::open(file);
  if (!reader) return reader.error();
  const auto ends = (*reader)->ends();
  if (!ends) return ends.error();
  ShadowTrial trial(rules, judged, actions);
  HistoryReport out;
  if (*ends) {
    out.first = WallTime(
        std::chrono::floor<std::chrono::seconds>(std::chrono::microseconds((*ends)->first)));
    if (Status read = read_slices(**reader, TimeSlices({}, **ends), trial, watcher); !read)
      return read.error();
  }
  out.trial = trial.report();
  return out;
}

}  // namespace shingled::milter::replay
