#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::replay {

/// From when to when: times ago ("7d") or moments ("2026-11-23", "2026-11-23T22:10", UTC).
struct HistorySpan {
  std::string since = {};  ///< empty = from the first message
  std::string until = {};  ///< empty = to the last one
};

/// The times that these texts name.
/// Errors:  kInvalid: neither a time ago nor a moment; names the option, --since or --until.
/// Threads: stateless.
Result<storage::sqlite::HistoryReader::Span> span_of(const HistorySpan& span, WallTime now);

/// The time of rows at this moment: microseconds since 1970.
constexpr std::int64_t row_time(WallTime time) {
  constexpr std::int64_t kSecond = 1'000'000;
  return time.time_since_epoch().count() * kSecond;
}

/// "2026-11-23T22:10:05Z" of microseconds since 1970.
std::string moment_text(std::int64_t time);

/// The time of a history in slices, so that work on it can be shared or stopped, and no read of the
/// file lasts long. The slices follow each other and cover all rows within a span.
/// Threads: a value.
class TimeSlices {
 public:
  static constexpr std::uint64_t kCount = 256;

  /// `ends`: the times of the first and the last row.
  TimeSlices(const storage::sqlite::HistoryReader::Span& span,
             const storage::sqlite::HistoryReader::Ends& ends)
      : since_(std::max(span.since, ends.first)) {
    const std::int64_t until =
        std::min(span.until, ends.last < INT64_MAX ? ends.last + 1 : INT64_MAX);
    if (until > since_)
      length_ = static_cast<std::uint64_t>(until) - static_cast<std::uint64_t>(since_);
  }

  /// Whether no row is within the span.
  [[nodiscard]] bool empty() const { return length_ == 0; }
  /// `slice`: below kCount.
  [[nodiscard]] storage::sqlite::HistoryReader::Span at(std::uint64_t slice) const {
    return {edge(slice), edge(slice + 1)};
  }

 private:
  [[nodiscard]] std::int64_t edge(std::uint64_t slice) const {
    const std::uint64_t offset = length_ / kCount * slice + length_ % kCount * slice / kCount;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(since_) + offset);
  }

  std::int64_t since_ = 0;
  std::uint64_t length_ = 0;  ///< microseconds
};

}  // namespace shingled::milter::replay
