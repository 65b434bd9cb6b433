#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::history {

/// How many messages got which verdict and which score, by minute, as the history has them.
///
/// It remembers what it has counted: a row is read once. So the newest numbers cost as much as
/// there are new rows, and those of before are read back piece by piece, as far as somebody asks.
/// Rows that the history removes stay counted, as long as they are within kKept.
/// Threads: one thread at a time.
/// Cost:    some 150 bytes for a minute with messages; about 1 µs a row, once.
class TrafficSummary {
 public:
  static constexpr std::size_t kActions = 6;
  static constexpr std::chrono::minutes kKept = std::chrono::hours(24 * 14);
  /// The ends of the groups of scores: from one to before the next.
  static constexpr std::array<double, 19> kScores = {-10, -5, -2, -1, 0,  1,  2,  3,  4, 5,
                                                     6,   7,  8,  9,  10, 12, 15, 20, 30};
  static constexpr std::size_t kScoreGroups = kScores.size() + 1;

  using Actions = std::array<std::uint64_t, kActions>;  ///< by number of the action
  struct Numbers {
    std::int64_t since = 0;      ///< seconds since 1970: where the first step begins
    std::vector<Actions> steps;  ///< the oldest first
    std::array<std::uint64_t, kScoreGroups> scores{};
    std::uint64_t messages = 0;
  };

  /// Counts what is new, then what was before, the newest first, back to `since`, until `end`.
  /// Errors: those of the reader; then what was counted stays.
  Status read_on(storage::sqlite::HistoryReader& reader, WallTime since, WallTime now,
                 const Clock& clock, TimePoint end);
  /// From when on everything is counted, in seconds since 1970; the time of `since` or before: all
  /// of it.
  [[nodiscard]] std::int64_t counted_since() const;

  /// `count` steps of `step`, whole minutes; the last one has `now` in it.
  [[nodiscard]] Numbers numbers(WallTime now, std::chrono::minutes step, std::size_t count) const;

 private:
  struct Minute {
    std::array<std::uint32_t, kActions> actions{};
    std::array<std::uint32_t, kScoreGroups> scores{};
  };
  void count(const storage::sqlite::HistoryReader::View& row);
  void begin(std::int64_t time);

  std::map<std::int64_t, Minute> minutes_;  ///< by minutes since 1970
  bool begun_ = false;
  // Times of rows: everything from `oldest_` to before `newest_` is counted.
  std::int64_t oldest_ = 0;
  std::int64_t newest_ = 0;
};

}  // namespace shingled::milter::history
