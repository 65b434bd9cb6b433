#pragma once

#include <string>

#include "config/options/settings.h"
#include "milter/cli/output/progress_meter.h"
#include "milter/cli/terminal/console.h"
#include "storage/formats/new_file.h"

namespace shingled::milter::cli {

// The counters in the commands about the database. Those in Redis are not part of it.

/// Whether this machine has counters.
bool has_own_counters(const Settings& settings);

/// Writes the counters of this machine to a file, as `counters export` does, and says so. Returns
/// an exit code.
int back_up_counters(const Settings& settings, const std::string& file,
                     storage::formats::NewFile::Existing existing, ProgressMeter& meter,
                     Console& console);

/// Checks the counters of this machine. The result is printed, or with `json` put there as the
/// member "counters". Returns an exit code.
int verify_counters(const Settings& settings, Json* json, Console& console);

}  // namespace shingled::milter::cli
