#include "milter/rules/fuzzy_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "config/base/hex.h"
#include "milter/rules/hit_strength.h"
#include "milter/rules/unknown.h"

namespace shingled::milter::rules {

void keep_white_to_its_part(std::span<Hit> hits, const Facts& facts) {
  std::map<std::uint32_t, double> good;  // by part: the highest amount that speaks for it
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

namespace {

constexpr std::size_t kDigestHexShown = 10;

/// A copy of everything that an explanation of a hit needs: the look-up may be gone when it is
/// made.
struct FuzzyHit {
  Hit hit;
  std::string rule;
  std::string part;
  double probability = 0;
  Digest digest;

  [[nodiscard]] Explanation explanation() const;
  [[nodiscard]] std::vector<Detail> details() const;
};

/// In the log "FUZZY_DENIED:11:20:0.94:rule/part:<digest>": enough to calculate the score again;
/// with ":quoted" it counts nothing.
Explanation FuzzyHit::explanation() const {
  const std::string shown = to_hex(digest.bytes).substr(0, kDigestHexShown);
  const auto with = [this](std::string text, std::string_view mark) {
    return hit.quoted ? text.append(mark) : text;
  };
  return {.log = with(fmt::format("{}:{}:{}:{:.2f}:{}/{}:{}", hit.symbol, hit.flag, hit.value,
                                  probability, rule, part, shown),
                      ":quoted"),
          .header = with(fmt::format("{}; flag={} value={} prob={:.2f} digest={}", hit.symbol,
                                     hit.flag, hit.value, probability, shown),
                         " quoted"),
          .arithmetic = hit.arithmetic(),
          .details = details()};
}

std::vector<Detail> FuzzyHit::details() const {
  return {{"lookup", static_cast<std::int64_t>(hit.lookup)},
          {"flag", std::int64_t{hit.flag}},
          {"symbol", hit.symbol},
          {"value", std::int64_t{hit.value}},
          {"hits_limit", hit.hits_limit},
          {"saturation", hit.saturation},
          {"certainty", hit.certainty},
          {"image", hit.image},
          {"context", hit.context},
          {"weight", hit.weight},
          {"score", hit.score},
          {"dropped", hit.dropped},
          {"standing", std::string(to_string(hit.strength))},
          {"spared", hit.spared},
          {"quoted", hit.quoted}};
}

}  // namespace

std::vector<Evidence> fuzzy_evidence(std::vector<Hit> hits, std::span<const Lookup> lookups) {
  std::vector<Evidence> out;
  out.reserve(hits.size());
  for (Hit& hit : hits) {
    const Lookup& lookup = lookups[hit.lookup];
    Evidence& item = out.emplace_back();
    item.symbol = hit.symbol;
    item.score = hit.score;
    item.part = lookup.hash.part;
    item.effect = hit.dropped  ? Evidence::Effect::kDropped
                  : hit.quoted ? Evidence::Effect::kSpared
                               : Evidence::Effect::kCounts;
    item.explanation = [found = FuzzyHit{std::move(hit), lookup.rule, lookup.hash.part,
                                         lookup.probability, lookup.match.digest}] {
      return found.explanation();
    };
  }
  return out;
}

Findings fuzzy_findings(const Facts& facts, std::span<const RuleOptions> rules,
                        const ActionOptions& actions) {
  const HoldScores hold = hold_scores(actions);
  std::vector<Hit> hits = score_hits(facts, rules);
  hold_hits(hits, hit_strengths(facts, rules), hold);
  keep_white_to_its_part(hits, facts);

  Findings findings;
  findings.source = &kFuzzySource;
  // The sum over several lists and rules may reach no more than the strongest hit may by itself.
  // The limit is for this source only: evidence of other sources adds to it.
  const HitStrength strength = strongest_of(hits);
  if (strength != HitStrength::kFull) {
    findings.score_max = strength == HitStrength::kMarks ? hold.marks : hold.noted;
  }
  findings.held = std::any_of(hits.begin(), hits.end(),
                              [](const Hit& hit) { return hit.held > 0 && !hit.dropped; });
  findings.gaps = gaps_of(facts);
  findings.evidence = fuzzy_evidence(std::move(hits), facts.lookups);
  return findings;
}

}  // namespace shingled::milter::rules
