#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "milter/policy/condition.h"

namespace shingled::milter::policy {

/// A feature or counter that has no values with the present settings.
struct MissingSource {
  std::string name;  ///< "spf", "user_country"
  std::string why;   ///< "counters.geoip is not set"
};

/// What conditions can be about, besides the features and counters that this program knows.
struct CheckContext {
  std::vector<std::string> symbols = {};  ///< of all other sources of evidence
  bool counters = true;                   ///< whether messages are counted at all
  std::vector<MissingSource> missing = {};
  bool proofs = true;  ///< whether a server of ours says what is proved of a sender
};

/// The most that a factor of `usual` may be.
inline constexpr std::uint64_t kFactorMax = 1'000'000;

/// What is wrong with the names, types and units of a condition: features, counters and measures
/// that do not exist, comparisons that make no sense for the type, shares of measures that have
/// none. `rules`: names of all rules. In the order of the text.
/// Threads: stateless.
std::vector<ConditionProblem> check_condition(const Condition& condition,
                                              std::span<const std::string> rules,
                                              const CheckContext& context);

}  // namespace shingled::milter::policy
