#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "milter/terminal/console.h"

namespace shingled::milter::view {

// The answer to POST /counters/verify: {"ok", "error", numbers of what was read}.

/// Whether nothing is damaged.
bool is_sound(const Json& report);
/// "counters: no problem found; files 3, rows 1200" or "counters: damaged: ...".
std::string verify_line(const Json& report);

}  // namespace shingled::milter::view
