#pragma once

#include <span>
#include <vector>

#include "config/options/milter_options.h"
#include "config/options/rule_options.h"
#include "milter/rules/evidence.h"
#include "milter/rules/facts.h"
#include "milter/rules/score.h"

namespace shingled::milter::rules {

/// Hits of fuzzy hashes. Its key is in every log line of a message, also without evidence.
inline constexpr Source kFuzzySource = {
    .key = "hits", .title = {}, .separator = ",", .strongest_shown = true};

/// What the look-ups of a message say together: each hit weighed, held where it may not do more by
/// itself (standing.h), and good hits kept to their part (white.h). What was not looked up, or not
/// analysed, is a gap. Pure.
Findings fuzzy_findings(const Facts& facts, std::span<const RuleOptions> rules,
                        const ActionOptions& actions);

/// Evidence of hits, in their order. Pure.
std::vector<Evidence> fuzzy_evidence(std::vector<Hit> hits, std::span<const Lookup> lookups);

}  // namespace shingled::milter::rules
