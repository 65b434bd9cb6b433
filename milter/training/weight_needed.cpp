#include "milter/training/weight_needed.h"

#include <algorithm>
#include <limits>

#include "milter/rules/fuzzy_evidence.h"
#include "milter/rules/verdict.h"

namespace shingled::milter::training {

namespace {

/// The facts of the same message with `weight` on the list.
rules::Facts facts_with(std::span<const ListedHash> hashes, rules::TextAmount text,
                        std::uint32_t flag, std::int32_t weight) {
  rules::Facts facts;
  facts.text = text;
  for (const ListedHash& listed : hashes) {
    rules::Lookup& lookup = facts.lookups.emplace_back();
    lookup.hash = listed.hash;
    lookup.outcome = rules::Lookup::Outcome::kHit;
    lookup.probability = 1;
    storage::Match& match = lookup.match;
    match.exact = true;
    match.digest = listed.hash.fingerprint.digest;
    match.flags[match.flag_count++] = {flag, weight};
    for (const storage::FlagValue& other : listed.flags) {
      if (other.flag != flag && match.flag_count < match.flags.size()) {
        match.flags[match.flag_count++] = other;
      }
    }
  }
  return facts;
}

}  // namespace

std::optional<std::int32_t> weight_on(std::span<const ListedHash> hashes, std::uint32_t flag) {
  std::optional<std::int32_t> largest;
  for (const ListedHash& listed : hashes) {
    for (const auto& [on, value] : listed.flags) {
      if (on == flag) largest = std::max(largest.value_or(value), value);
    }
  }
  return largest;
}

WeightNeeded weight_needed(std::span<const ListedHash> hashes, rules::TextAmount text,
                           const RuleOptions& rule, std::uint32_t flag,
                           const ActionOptions& actions) {
  const auto least = [&](std::optional<double> score) -> std::optional<std::int32_t> {
    if (!score) return std::nullopt;
    const auto reaches = [&](std::int32_t weight) {
      rules::Facts facts = facts_with(hashes, text, flag, weight);
      facts.findings.push_back(rules::fuzzy_findings(facts, {&rule, 1}, actions));
      return rules::judge(facts, actions, FailurePolicy::kAccept).score >= *score;
    };
    // Half an int is more than any saturation needs, and its sums do not overflow.
    std::int32_t enough = std::numeric_limits<std::int32_t>::max() / 2;
    if (!reaches(enough)) return std::nullopt;
    std::int32_t too_little = 0;
    while (enough - too_little > 1) {
      const std::int32_t middle = too_little + (enough - too_little) / 2;
      (reaches(middle) ? enough : too_little) = middle;
    }
    return enough;
  };
  return {least(actions.add_header), least(actions.reject)};
}

}  // namespace shingled::milter::training
