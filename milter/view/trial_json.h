#pragma once

#include "milter/policy/compile_rules.h"
#include "milter/replay/rule_trial.h"
#include "milter/view/json.h"

namespace shingled::milter::view {

/// What a trial of rules on the history found.
Json trial_json(const policy::CompiledRules& rules_tried, const replay::TrialReport& report);

}  // namespace shingled::milter::view
