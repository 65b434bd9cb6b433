#pragma once

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

/// "2026-11-23T22:10:05Z" of microseconds since 1970.
std::string moment_text(std::int64_t time);

}  // namespace shingled::milter::replay
