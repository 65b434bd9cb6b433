#pragma once

#include <string>
#include <vector>

#include "config/options/settings.h"
#include "config/promotions/decision_file.h"
#include "config/promotions/judgement_file.h"
#include "milter/policy/compile_rules.h"

namespace shingled::milter::promotion {

/// Where a rule stands, for people.
struct RuleStatus {
  std::string name;
  /// "live" "kept" "off", or that of its judgement (config::RuleStage).
  std::string state = {};
  const config::RuleJudgement* judged =
      nullptr;            ///< of the rule as it is now; null = there is none
  std::string note = {};  ///< may be empty
};

/// By rule. `all` must outlive it. `rules`: those of the settings.
/// Threads: stateless.
std::vector<RuleStatus> statuses_of(const Settings& settings, const policy::CompiledRules& rules,
                                    const config::Judgements& all,
                                    const config::RuleDecisions& decisions);

/// Why there are no judgements, or what they are of: one line or two.
/// Threads: stateless.
std::string what_was_judged(const Settings& settings, const config::Judgements& all);

/// Whether rules are judged at all.
inline bool judges(const Settings& settings) {
  return settings.policy.promote != PolicyPromote::kOff && settings.history.enabled;
}

}  // namespace shingled::milter::promotion
