#pragma once

#include <span>
#include <vector>

#include "config/options/milter_options.h"
#include "config/options/rule_options.h"
#include "milter/rules/evidence.h"
#include "milter/rules/facts.h"
#include "milter/rules/score.h"

namespace shingled::milter::rules {

/// Limits each hit that speaks for a message (a white list, a report withdrawn) to its own part. A
/// hit of the visible body speaks for the message, with its whole score. A hit of any other part
/// only reduces the scores of hits against that part, of any rule, by its own amount at most.
/// Otherwise a spammer could attach a known good text to spam. Call it once, with all hits of a
/// message. Pure.
void keep_white_to_its_part(std::span<Hit> hits, const Facts& facts);

/// Hits of fuzzy hashes. The key is in the log line of every message, also without evidence.
inline constexpr Source kFuzzySource = {
    .key = "hits", .title = {}, .separator = ",", .strongest_shown = true};

/// The findings of all look-ups of a message. Each hit is weighed (score.h) and limited to what it
/// may do by itself (hit_strength.h); good hits are limited to their part; hits of what the message
/// only quotes are shown, and count nothing. Hashes that were not looked up and parts that were not
/// analysed are gaps. Pure.
Findings fuzzy_findings(const Facts& facts, std::span<const RuleOptions> rules,
                        const ActionOptions& actions);

/// Makes evidence of hits, in the same order. Pure.
std::vector<Evidence> fuzzy_evidence(std::vector<Hit> hits, std::span<const Lookup> lookups);

}  // namespace shingled::milter::rules
