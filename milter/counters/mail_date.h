#pragma once

#include <optional>
#include <string_view>

#include "config/base/clock.h"

namespace shingled::milter::counters {

/// The time of a Date field or at the end of a Received field: "Mon, 13 Jul 2026 10:00:00 +0200
/// (CEST)", also in the obsolete forms (years of two digits, names of zones).
/// Errors:  nullopt for other text.
/// Threads: stateless.
/// Source:  RFC 5322 3.3 and 4.3.
std::optional<WallTime> parse_mail_date(std::string_view text);

}  // namespace shingled::milter::counters
