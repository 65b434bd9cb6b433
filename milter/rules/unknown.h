#pragma once

#include <span>
#include <string>

#include "config/options/milter_options.h"
#include "config/options/similar_options.h"
#include "milter/rules/facts.h"

namespace shingled::milter::rules {

/// What nobody knows about a message, for people: look-ups without an answer, look-ups never made,
/// parts the analysis did not come to. Empty = all is known. Pure.
///
///   "3 of 12 look-ups failed, first timeout of rule remote; 900 of 1900 look-ups not asked;
///    analysis incomplete: part limit reached"
std::string describe_unknown(const Facts& facts);

/// The same of known files, where a message of this score could have come to more than a header by
/// them: that some were not looked up does not matter to a library that only marks. Pure.
std::string describe_unknown_files(const Facts& facts, double score, const ActionOptions& actions,
                                   std::span<const SimilarList> lists);

}  // namespace shingled::milter::rules
