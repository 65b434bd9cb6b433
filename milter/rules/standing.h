#pragma once

#include <span>
#include <vector>

#include "config/options/milter_options.h"
#include "config/options/rule_options.h"
#include "milter/rules/facts.h"
#include "milter/rules/score.h"

namespace shingled::milter::rules {

/// What each look-up may do without the others, in their order. Many senders write much alike and
/// attach the same files, so a part that is known does not say yet that the message is. By rule:
///
///   the body's digest is known                                     kFull
///   the body looks like one: near in its robust form, or near in
///     both forms, or near and beside a known file                  kFull, and so are all others
///   the body is near in one form only                              kMarks
///   the body has few words of its own (PartHash::common) and
///     its robust form is known, or its words are very near         kMarks
///     it is no more than near                                      kNoted
///   a file, an image or another text, whose body is unknown        kMarks
///   a file or an image without any text beside it is the message   kFull
///
/// Only hits that count against a message are company. Pure.
std::vector<Standing> standings(const Facts& facts, std::span<const RuleOptions> rules);

/// Scores at which hits are held that may not do more, just below the thresholds.
struct HoldScores {
  double marks = 0;  ///< below each action stronger than a header
  double noted = 0;  ///< below every action
};
HoldScores hold_scores(const ActionOptions& actions);

/// Gives each hit its standing and holds its score.
void hold_hits(std::span<Hit> hits, std::span<const Standing> standings, const HoldScores& scores);

/// The strongest standing of the hits that count against the message; kFull without any.
Standing strongest_standing(std::span<const Hit> hits);

}  // namespace shingled::milter::rules
