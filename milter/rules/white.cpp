#include "milter/rules/white.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace shingled::milter::rules {

void keep_white_to_its_part(std::span<Hit> hits, const Facts& facts) {
  std::map<std::uint32_t, double> good;  // by part: the most that speaks for it
  for (Hit& hit : hits) {
    const mime::PartHash& hash = facts.lookups[hit.lookup].hash;
    if (hit.score >= 0 || hash.place == mime::PartPlace::kBody) continue;
    double& most = good[hash.index];
    most = std::max(most, -hit.score);
    hit.own_part = true;
    hit.score = 0;
  }
  if (good.empty()) return;
  for (Hit& hit : hits) {
    const auto spared = good.find(facts.lookups[hit.lookup].hash.index);
    if (hit.score <= 0 || spared == good.end()) continue;
    hit.spared = std::min(hit.score, spared->second);
    hit.score -= hit.spared;
  }
}

}  // namespace shingled::milter::rules
