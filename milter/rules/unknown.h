#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/options/milter_options.h"
#include "milter/rules/evidence.h"
#include "milter/rules/facts.h"

namespace shingled::milter::rules {

/// The gaps in the look-ups of a message: look-ups without an answer, look-ups that were not made,
/// parts that were not analysed. Pure.
///
///   "3 of 12 look-ups failed, first timeout of rule remote", "900 of 1900 look-ups not asked",
///   "analysis incomplete: part limit reached"
std::vector<Gap> gaps_of(const Facts& facts);

/// The gaps of all sources that matter, joined with "; "; empty = nothing of importance is unknown.
/// A gap does not matter if it could not have raised this score above the action of a header. Pure.
std::string describe_unknown(std::span<const Findings> findings, double score,
                             const ActionOptions& actions);

}  // namespace shingled::milter::rules
