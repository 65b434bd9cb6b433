#include "milter/rules/fuzzy_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/hex.h"
#include "milter/rules/hit_strength.h"

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

constexpr std::string_view kLimitReached =
    "limit reached";  // the end of each defect that reports a bound

std::string count_of(std::size_t some, std::size_t all) {
  return std::to_string(some) + " of " + std::to_string(all) + " look-ups ";
}

std::string describe_failures(const Facts& facts) {
  const auto first = std::find_if(facts.lookups.begin(), facts.lookups.end(),
                                  [](const Lookup& lookup) { return lookup.failed(); });
  if (first == facts.lookups.end()) return {};
  return count_of(facts.failed(), facts.lookups.size()) + "failed, first " +
         std::string(to_string(first->outcome)) + " of rule " + first->rule;
}

std::string describe_bounds(const Facts& facts) {
  if (!facts.incomplete) return {};
  std::string bounds;
  for (const std::string& defect : facts.defects) {
    if (!std::string_view(defect).ends_with(kLimitReached)) continue;
    bounds += (bounds.empty() ? ": " : ", ") + defect;
  }
  return "analysis incomplete" + bounds;
}

/// The gaps in the look-ups of a message: look-ups without an answer, look-ups that were not made,
/// parts that were not analysed.
///
///   "3 of 12 look-ups failed, first timeout of rule remote", "900 of 1900 look-ups not asked",
///   "analysis incomplete: part limit reached"
std::vector<Gap> gaps_of(const Facts& facts) {
  const std::string unasked =
      facts.unasked == 0
          ? std::string()
          : count_of(facts.unasked, facts.lookups.size() + facts.unasked) + "not asked";
  std::vector<Gap> gaps;
  for (const std::string& text : {describe_failures(facts), unasked, describe_bounds(facts)}) {
    if (!text.empty()) gaps.push_back({text});
  }
  return gaps;
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
