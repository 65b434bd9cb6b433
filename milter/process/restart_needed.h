#pragma once

#include <string>
#include <vector>

#include "config/options/settings.h"

namespace shingled::milter::process {

/// The options that differ between two settings but are read at the start only: "storage.hashfile".
/// Pure.
std::vector<std::string> restart_needed(const Settings& running, const Settings& wanted);

}  // namespace shingled::milter::process
