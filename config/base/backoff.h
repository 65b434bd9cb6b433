#pragma once

#include <algorithm>
#include <cstdint>

#include "config/base/clock.h"

namespace shingled {

/// How long to wait after a failure: `first`, after each further one in a row twice as long, never
/// longer than `most`. A value; the caller counts the failures.
struct Backoff {
  Duration first{};
  Duration most{};

  /// `failures`: those in a row before the present one; 0 gives `first`.
  [[nodiscard]] constexpr Duration wait(std::uint32_t failures) const {
    const std::uint32_t doublings = std::min<std::uint32_t>(failures, 62);
    if (first.count() > most.count() >> doublings) return most;
    return first * (Duration::rep{1} << doublings);
  }
};

}  // namespace shingled
