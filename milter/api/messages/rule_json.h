#pragma once

#include <string>
#include <vector>

#include "config/options/policy_options.h"
#include "config/promotions/decision_file.h"
#include "milter/promotion/rule_status.h"
#include "milter/replay/change_trial.h"
#include "milter/replay/fired_rules.h"
#include "milter/view/json.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::api {

// Rules and trials as API.md, "Rules", has them.

/// A rule as the settings in force have it, without its figures. `decision`: null = there is none.
Json rule_json(const PolicyRuleOptions& rule, const promotion::RuleStatus& status,
               const config::RuleDecision* decision);
/// Adds "messages", "spam", "ham" and "s_o" of a rule.
void put_counts(const replay::FiredRules& fired, const std::string& rule, Json& out);
/// {"messages", "spam", "ham", "since"}
Json looked_at_json(const replay::FiredRules& fired);

/// A trial. `reader`: for what the history knows of the examples; without errors: that stays null.
Json change_json(const replay::ChangeReport& report, storage::sqlite::HistoryReader& reader);

}  // namespace shingled::milter::api
