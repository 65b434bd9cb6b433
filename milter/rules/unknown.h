#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/options/milter_options.h"
#include "milter/rules/evidence.h"
#include "milter/rules/facts.h"

namespace shingled::milter::rules {

/// What nobody knows of the hashes of a message: look-ups without an answer, look-ups never made,
/// parts the analysis did not come to. Pure.
///
///   "3 of 12 look-ups failed, first timeout of rule remote", "900 of 1900 look-ups not asked",
///   "analysis incomplete: part limit reached"
std::vector<Gap> gaps_of(const Facts& facts);

/// The gaps of all sources, "; " between them; empty = all is known. A gap that could not have
/// brought a message of this score to more than a header does not matter. Pure.
std::string describe_unknown(std::span<const Findings> findings, double score,
                             const ActionOptions& actions);

}  // namespace shingled::milter::rules
