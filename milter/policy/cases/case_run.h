#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/options/milter_options.h"
#include "milter/policy/cases/policy_cases.h"
#include "milter/policy/evaluate.h"
#include "milter/policy/explain.h"

namespace shingled::milter::policy {

/// Evaluates the cases one after the other.
/// Threads: one thread.
class CaseRun {
 public:
  /// Both must outlive it.
  CaseRun(const policy::CompiledRules& rules, const ActionOptions& actions)
      : rules_(rules), actions_(actions), evaluation_(rules) {}

  /// What is not as it should be, with the numbers that decided.
  std::vector<std::string> failures_of(const PolicyCase& test);

 private:
  void compare_rules(const PolicyCase& test, const policy::MessageFacts& facts,
                     std::vector<std::string>& out) const;
  void compare_outcome(const PolicyCase& test, std::vector<std::string>& out) const;
  [[nodiscard]] std::size_t place_of_rule(const std::string& name) const;

  const policy::CompiledRules& rules_;
  const ActionOptions& actions_;
  policy::Evaluation evaluation_;
};

}  // namespace shingled::milter::policy
