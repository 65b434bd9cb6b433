#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "config/options/counter_options.h"
#include "milter/desk/counters/counter_client.h"
#include "storage/model/work_watcher.h"

namespace shingled::milter::desk {

/// Gets whole lines.
using WriteLines = std::function<Status(std::string_view lines)>;

/// Writes all counts as JSON Lines; returns their number.
/// Errors: those of the counters and of `write`; kCorrupt (a line that is cut off); kUnavailable
///         when the watcher ends it.
Result<std::uint64_t> export_counters(CounterClient& client, const WriteLines& write,
                                      const storage::Watcher& watcher);

/// Reads the lines of an export into the counters in a folder, which no daemon has; returns their
/// number.
/// Errors: those of the folder; kInvalid (of another key), kCorrupt (a line is broken), kUnavailable
///         (disk; Ctrl-C), each with the file or the folder.
Result<std::uint64_t> import_counters_into(const CounterOptions& into, const std::string& file,
                                           const storage::Watcher& watcher);

}  // namespace shingled::milter::desk
