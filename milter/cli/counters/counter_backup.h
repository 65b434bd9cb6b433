#pragma once

#include <cstdint>
#include <string>

#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/cli/access/printing.h"

namespace shingled::milter::cli {

// The counters in the commands about the database. Those in Redis are not part of it.

/// Whether this machine has counters.
bool has_own_counters(const Settings& settings);

/// Writes the counters of this machine to a new file, as `counters export` does; returns the number
/// of its lines.
/// Errors: those of CounterDesk and ExportOutput; kUnavailable after Ctrl-C.
Result<std::uint64_t> export_counters_to(const Settings& settings, const std::string& file,
                                         ProgressMeter& meter, Console& console);

/// Checks the counters of this machine. The result is printed, or with `json` put there as the
/// member "counters". Returns an exit code.
int verify_counters(const Settings& settings, Json* json, Console& console);

}  // namespace shingled::milter::cli
