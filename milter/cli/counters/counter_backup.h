#pragma once

#include <cstdint>
#include <string>

#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/cli/output/progress_meter.h"
#include "milter/cli/terminal/console.h"

namespace shingled::milter::cli {

// The counters in the commands about the database. Those in Redis are not part of it.

/// Whether this machine has counters.
bool has_own_counters(const Settings& settings);

/// Writes the counters of this machine to a new file, as `counters export` does; returns the number
/// of its lines.
/// Errors: those of CounterDesk and ExportOutput; kUnavailable after Ctrl-C.
Result<std::uint64_t> export_counters_to(const Settings& settings, const std::string& file,
                                         ProgressMeter& meter, Console& console);

/// Reads the lines of an export into the counters in a folder, which no daemon has; returns their
/// number.
/// Errors: those of the folder; kInvalid (of another key), kCorrupt (a line is broken), kUnavailable
///         (disk; Ctrl-C), each with the file or the folder.
Result<std::uint64_t> import_counters_into(const CounterOptions& into, const std::string& file,
                                           ProgressMeter& meter);

/// Checks the counters of this machine. The result is printed, or with `json` put there as the
/// member "counters". Returns an exit code.
int verify_counters(const Settings& settings, Json* json, Console& console);

}  // namespace shingled::milter::cli
