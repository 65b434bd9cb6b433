#pragma once

#include <string>
#include <string_view>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "milter/cli/history/history_commands.h"
#include "storage/sqlite/history_table.h"

namespace shingled::milter::cli {

/// The times that the arguments name.
/// Errors:  kInvalid: neither a time ago nor a moment; names the option.
/// Threads: stateless.
Result<storage::sqlite::HistoryReader::Span> span_of(const HistorySpanArguments& arguments,
                                                     WallTime now);

/// "2026-11-23T22:10:05Z" of microseconds since 1970.
std::string moment_text(std::int64_t time);

}  // namespace shingled::milter::cli
