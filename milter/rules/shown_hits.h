#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "milter/rules/score.h"

namespace shingled::milter::rules {

/// Hits that the log line and the headers of a message name, of what may be thousands.
inline constexpr std::size_t kHitsShown = 32;

struct ShownHits {
  std::vector<std::size_t> hits;  ///< into the hits
  std::size_t more = 0;           ///< that count, too, and are not named
};

/// Hits that count, in their order; of more than `count_max` the strongest, the best first. Pure.
ShownHits shown_hits(std::span<const Hit> hits, std::size_t count_max = kHitsShown);

}  // namespace shingled::milter::rules
