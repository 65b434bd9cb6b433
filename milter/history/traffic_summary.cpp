#include "milter/history/traffic_summary.h"

#include <algorithm>

#include "milter/history/row_code.h"

namespace shingled::milter::history {

namespace {

constexpr std::int64_t kRowSecond = 1'000'000;  // of the time of a row
constexpr std::int64_t kRowMinute = 60 * kRowSecond;
constexpr std::uint64_t kRowsBetweenLooks = 128;  // at the clock
/// Rows may be so much newer than the clock, as those of one second follow each other.
constexpr std::int64_t kAhead = kRowMinute;

std::int64_t row_time_of(WallTime time) { return time.time_since_epoch().count() * kRowSecond; }

}  // namespace

void TrafficSummary::begin(std::int64_t time) {
  minutes_.clear();
  begun_ = true;
  oldest_ = newest_ = time;
}

void TrafficSummary::count(const storage::sqlite::HistoryReader::View& row) {
  Minute& minute = minutes_[row.time / kRowMinute];
  if (row.action < kActions) ++minute.actions[row.action];
  const auto score = score_of(row.details);
  if (!score) return;
  const auto* const group = std::upper_bound(kScores.begin(), kScores.end(), *score);
  ++minute.scores[static_cast<std::size_t>(group - kScores.begin())];
}

Status TrafficSummary::read_on(storage::sqlite::HistoryReader& reader, WallTime since, WallTime now,
                               const Clock& clock, TimePoint end) {
  using View = storage::sqlite::HistoryReader::View;
  const std::int64_t present = row_time_of(now);
  // The clock was set back: what was counted as new would hide what comes now.
  // A message that is being recorded may be a moment older than one that somebody sees already.
  if (!begun_ || newest_ > present + kAhead) begin(present - kRowMinute);
  std::uint64_t rows = 0;
  const auto has_time = [&] { return ++rows % kRowsBetweenLooks != 0 || clock.now() < end; };
  const Status forward = reader.read({newest_, INT64_MAX}, [&](const View& row) {
    count(row);
    newest_ = row.time + 1;
    return has_time();
  });
  if (!forward) return forward;
  minutes_.erase(minutes_.begin(),
                 minutes_.lower_bound((present - row_time_of(WallTime(kKept))) / kRowMinute));

  const std::int64_t wanted = row_time_of(since);
  bool stopped = clock.now() >= end;
  if (stopped || oldest_ <= wanted) return {};
  const Status back = reader.read_back({wanted, oldest_}, [&](const View& row) {
    count(row);
    oldest_ = row.time;
    stopped = !has_time();
    return !stopped;
  });
  if (!back) return back;
  if (!stopped) oldest_ = wanted;
  return {};
}

std::int64_t TrafficSummary::counted_since() const {
  return begun_ ? (oldest_ + kRowSecond - 1) / kRowSecond
                : std::numeric_limits<std::int64_t>::max();
}

TrafficSummary::Numbers TrafficSummary::numbers(WallTime now, std::chrono::minutes step,
                                                std::size_t count) const {
  constexpr std::int64_t kMinute = 60;
  const std::int64_t length = step.count();
  const std::int64_t last = now.time_since_epoch().count() / kMinute / length * length;
  const std::int64_t first = last - static_cast<std::int64_t>(count - 1) * length;
  Numbers out{.since = first * kMinute, .steps = std::vector<Actions>(count)};
  for (auto at = minutes_.lower_bound(first); at != minutes_.lower_bound(last + length); ++at) {
    const Minute& minute = at->second;
    Actions& actions = out.steps[static_cast<std::size_t>((at->first - first) / length)];
    for (std::size_t i = 0; i < kActions; ++i) {
      actions[i] += minute.actions[i];
      out.messages += minute.actions[i];
    }
    for (std::size_t i = 0; i < kScoreGroups; ++i) out.scores[i] += minute.scores[i];
  }
  return out;
}

}  // namespace shingled::milter::history
