#pragma once

#include <string>
#include <vector>

#include "config/options/settings.h"

namespace shingled::milter::process {

/// The names of the options that differ and are read only at the start, for example
/// "storage.hashfile". Pure.
std::vector<std::string> restart_needed(const Settings& running, const Settings& wanted);

}  // namespace shingled::milter::process
