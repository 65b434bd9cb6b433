#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "storage/sqlite/history_table.h"

namespace shingled::milter::cli {

/// From when to when: times ago ("7d") or moments ("2026-11-23", "2026-11-23T22:10", UTC).
struct HistorySpanArguments {
  std::string since = {};  ///< empty = from the first message
  std::string until = {};  ///< empty = to the last one

  /// `default_since`: as help says it.
  void add_to(CLI::App& command, const std::string& default_since);
};

/// The times that the arguments name.
/// Errors:  kInvalid: neither a time ago nor a moment; names the option.
/// Threads: stateless.
Result<storage::sqlite::HistoryReader::Span> span_of(const HistorySpanArguments& arguments,
                                                     WallTime now);

/// "2026-11-23T22:10:05Z" of microseconds since 1970.
std::string moment_text(std::int64_t time);

}  // namespace shingled::milter::cli
