#pragma once

#include <string>

#include "config/base/logger.h"

namespace shingled::milter::process {

/// A line of the log as the members of a JSON object, without its brackets:
/// "event":"mail","queue_id":"4XyzQ1","score":4.5. Numbers and truth values are such; a text is
/// what was logged, also where the line shows its bytes as \xNN; what is no UTF-8 becomes U+FFFD.
/// Threads: stateless.
std::string json_members(const LogLine& line);

}  // namespace shingled::milter::process
