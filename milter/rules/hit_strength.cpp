#include "milter/rules/hit_strength.h"

#include <algorithm>
#include <limits>

namespace shingled::milter::rules {

namespace {

// 29 of 32 slots. In the corpus, nine of ten near-duplicates found by their robust form are above
// this value, and different messages of one template are below it (tests/bench/README.md,
// "Templates").
constexpr float kSureProbability = 0.9F;
constexpr double kBelow = 0.01;  // one unit of the last digit of scores as shown

/// The hits of one rule in the body and in the files of a message.
struct RuleEvidence {
  bool text_exact = false;
  float text = 0;  ///< the best probability of the words; 0 = unknown
  bool robust_exact = false;
  float robust = 0;
  bool robust_asked = false;
  bool common = false;
  bool file = false;
};

bool is_text(const mime::PartHash& hash) {
  return hash.kind == mime::PartKind::kText || hash.kind == mime::PartKind::kHtml;
}

/// Hashed by its bytes: all of them, or those of a script.
bool is_file(const mime::PartHash& hash) {
  return hash.kind == mime::PartKind::kAttachment || hash.kind == mime::PartKind::kImage ||
         hash.kind == mime::PartKind::kPdfScript;
}

/// Whether the hash is in a list that counts against messages, and is not quoted.
bool accuses(const Lookup& lookup, const RuleOptions& rule) {
  if (lookup.outcome != Lookup::Outcome::kHit || lookup.is_quoted()) return false;
  const auto count = std::min<std::size_t>(lookup.match.flag_count, lookup.match.flags.size());
  const auto flags = std::span(lookup.match.flags).first(count);
  return std::any_of(flags.begin(), flags.end(), [&rule](const storage::FlagValue& entry) {
    const FlagOptions* named = rule.flags.find(entry.flag);
    return named != nullptr && named->weight * entry.value > 0;
  });
}

void take(RuleEvidence& evidence, const Lookup& lookup, const RuleOptions& rule) {
  const mime::PartHash& hash = lookup.hash;
  const bool body = hash.place == mime::PartPlace::kBody;
  const bool robust = hash.kind == mime::PartKind::kRobust;
  evidence.robust_asked = evidence.robust_asked || robust;
  if (!accuses(lookup, rule)) return;
  if (body && robust) {
    evidence.robust = std::max(evidence.robust, lookup.probability);
    evidence.robust_exact = evidence.robust_exact || lookup.match.exact;
  } else if (body && is_text(hash)) {
    evidence.text = std::max(evidence.text, lookup.probability);
    evidence.text_exact = evidence.text_exact || lookup.match.exact;
  } else if (is_file(hash)) {
    evidence.file = true;
  }
  if (body && (robust || is_text(hash))) evidence.common = evidence.common || hash.common;
}

/// The strength of texts of the body.
HitStrength body_strength(const RuleEvidence& found) {
  if (found.text_exact) return HitStrength::kFull;
  if (found.common) {
    return found.robust_exact || found.text >= kSureProbability ? HitStrength::kMarks
                                                                : HitStrength::kNoted;
  }
  const bool both = found.text > 0 && found.robust > 0;
  const bool sure =
      found.robust >= kSureProbability || (!found.robust_asked && found.text >= kSureProbability);
  return both || sure || found.file ? HitStrength::kFull : HitStrength::kMarks;
}

HitStrength strength_of(const mime::PartHash& hash, const RuleEvidence& found, TextAmount text) {
  const bool body_known = found.text > 0 || found.robust > 0;
  const HitStrength body = body_strength(found);
  if (hash.place == mime::PartPlace::kBody && hash.kind != mime::PartKind::kHtmlStructure) {
    return body;
  }
  if (body_known) return body == HitStrength::kFull ? HitStrength::kFull : HitStrength::kMarks;
  return text == TextAmount::kNone ? HitStrength::kFull : HitStrength::kMarks;
}

}  // namespace

std::vector<HitStrength> hit_strengths(const Facts& facts, std::span<const RuleOptions> rules) {
  std::vector<RuleEvidence> of_rule(rules.size());
  for (const Lookup& lookup : facts.lookups) {
    if (lookup.rule_index >= rules.size()) continue;
    take(of_rule[lookup.rule_index], lookup, rules[lookup.rule_index]);
  }
  std::vector<HitStrength> out;
  out.reserve(facts.lookups.size());
  for (const Lookup& lookup : facts.lookups) {
    out.push_back(lookup.rule_index < rules.size()
                      ? strength_of(lookup.hash, of_rule[lookup.rule_index], facts.text)
                      : HitStrength::kFull);
  }
  return out;
}

HoldScores hold_scores(const ActionOptions& actions) {
  double stronger = std::numeric_limits<double>::infinity();
  for (const auto& threshold :
       {actions.discard, actions.reject, actions.quarantine, actions.tempfail}) {
    if (threshold) stronger = std::min(stronger, *threshold);
  }
  const double any = actions.add_header ? std::min(stronger, *actions.add_header) : stronger;
  return {std::max(stronger - kBelow, 0.0), std::max(any - kBelow, 0.0)};
}

void hold_hits(std::span<Hit> hits, std::span<const HitStrength> hit_strengths,
               const HoldScores& scores) {
  for (Hit& hit : hits) {
    hit.strength = hit_strengths[hit.lookup];
    if (hit.strength == HitStrength::kFull) continue;
    const double most = hit.strength == HitStrength::kMarks ? scores.marks : scores.noted;
    if (hit.score <= most) continue;
    hit.held = hit.score;
    hit.score = most;
  }
}

HitStrength strongest_of(std::span<const Hit> hits) {
  HitStrength strongest = HitStrength::kNoted;
  bool any = false;
  for (const Hit& hit : hits) {
    if (hit.dropped || hit.score <= 0) continue;
    any = true;
    strongest = std::min(strongest, hit.strength);
  }
  return any ? strongest : HitStrength::kFull;
}

}  // namespace shingled::milter::rules
