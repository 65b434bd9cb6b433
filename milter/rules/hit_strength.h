#pragma once

#include <span>
#include <vector>

#include "config/options/milter_options.h"
#include "config/options/rule_options.h"
#include "milter/rules/facts.h"
#include "milter/rules/score.h"

namespace shingled::milter::rules {

/// The strength of each look-up, in their order. Many senders write similar texts and attach the
/// same files, so a known part does not yet mean that the message is known. Each rule is judged by
/// its own hits; only hits that count against the message are considered, not what it quotes. "Very
/// near" is 29 of 32 slots.
///
///   the digest of the body is known                                kFull
///   the body is very near in its robust form (in its words, if
///     no robust form was looked up), or near in both forms, or
///     near in one form beside a known file                         kFull, also for other parts
///   the body is near in one form only                              kMarks
///   the body has few words of its own (PartHash::common), and
///     its robust form is known, or its words are very near         kMarks
///     it is only near                                              kNoted
///   a file, an image or another text; the body is unknown          kMarks
///   a part of a message without any text: it is the message        kFull
///
/// Pure.
std::vector<HitStrength> hit_strengths(const Facts& facts, std::span<const RuleOptions> rules);

/// The highest scores of hits that are not kFull: just below the thresholds.
struct HoldScores {
  double marks = 0;  ///< below each action that is stronger than a header
  double noted = 0;  ///< below every action
};
HoldScores hold_scores(const ActionOptions& actions);

/// Sets the strength of each hit, and limits its score accordingly.
void hold_hits(std::span<Hit> hits, std::span<const HitStrength> hit_strengths,
               const HoldScores& scores);

/// The greatest strength of the hits that count against the message; kFull if there are none.
HitStrength strongest_of(std::span<const Hit> hits);

}  // namespace shingled::milter::rules
