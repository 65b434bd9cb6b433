#include "milter/rules/shown_hits.h"

#include <cmath>

#include "config/base/best.h"

namespace shingled::milter::rules {

ShownHits shown_hits(std::span<const Hit> hits, std::size_t count_max) {
  ShownHits shown;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (!hits[i].dropped) shown.hits.push_back(i);
  }
  if (shown.hits.size() <= count_max) return shown;
  const auto stronger = [&](std::size_t a, std::size_t b) {
    return std::abs(hits[a].score) > std::abs(hits[b].score);
  };
  shown.more = keep_best(shown.hits, count_max, stronger).size();
  return shown;
}

}  // namespace shingled::milter::rules
