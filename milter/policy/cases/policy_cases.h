#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/document/places.h"
#include "milter/features/feature.h"
#include "milter/policy/compile_rules.h"
#include "milter/policy/counter_feature.h"

namespace shingled::milter::policy {

/// A message, made up or in a file, and what rules should say of it.
struct PolicyCase {
  /// Sums of one measure of a counter; one for each piece, such as each link.
  struct Sums {
    policy::CounterFeature feature;
    std::optional<policy::Window> window;  ///< nullopt: of each of the last 14 days but today
    std::vector<std::uint64_t> values;
  };

  std::string name;
  int line = 0;  ///< in the file
  std::string message =
      {};  ///< a file whose features count where `features` has none; empty = none
  features::FeatureValues features = {};
  std::vector<Sums> counters = {};
  std::vector<std::string> symbols = {};  ///< that other sources found
  double other_score = 0;                 ///< of other sources

  std::vector<std::string> expect = {};      ///< rules that must fire
  std::vector<std::string> expect_not = {};  ///< rules that must not
  std::optional<rules::Action> action = {};
  std::optional<double> score = {};  ///< of the rules that fire, without those in shadow
};

struct PolicyCases {
  std::vector<PolicyCase> cases;
  std::vector<config::Problem> problems;  ///< the cases count only if there is none
};

/// Reads a file of cases. Names in it are compared with what the rules know.
/// Threads: stateless.
PolicyCases read_policy_cases(std::string_view text, std::string_view file,
                              const policy::CompiledRules& rules);

/// What the counters of a case say. A counter that is not named is unknown; of one that is named,
/// everything else is 0.
policy::CounterReadings readings_of(const PolicyCase& test, const policy::CompiledRules& rules);

}  // namespace shingled::milter::policy
