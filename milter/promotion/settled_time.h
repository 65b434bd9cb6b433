#pragma once

#include <chrono>

#include "config/base/clock.h"

namespace shingled::milter::promotion {

/// Rules are judged from this time of the day on, UTC. A part of an hour is added, so that many
/// daemons do not begin at once.
inline constexpr std::chrono::hours kSettledHour{2};
inline constexpr std::chrono::minutes kJitterMax{60};

/// Whether rules are to be judged. `last`: when that was done; 0 = never. `of_day`: the settled
/// time of this daemon, below a day. A last time that is still to come came from a wrong clock.
/// Threads: stateless.
bool is_due(WallTime last, WallTime now, std::chrono::seconds of_day);

}  // namespace shingled::milter::promotion
