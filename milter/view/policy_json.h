#pragma once

#include <cstdint>
#include <string>

#include "config/options/settings.h"
#include "config/promotions/decision_file.h"
#include "config/promotions/judgement_file.h"
#include "milter/policy/compile_rules.h"
#include "milter/promotion/rule_status.h"
#include "milter/replay/change_trial.h"
#include "milter/replay/rule_trial.h"
#include "milter/view/json.h"

namespace shingled::milter::view {

// Rules, for programs. All are pure.

/// {"promote", "judged", "messages", "unreported", "broken", "summary", "rules": [...]}: what
/// `policy status --json` shows. A rule has "rule" and "state", and where it is judged "since",
/// "messages", "reported", "rescued", "correspondents", "unreported", "stopped", "share",
/// "lacking"; perhaps "note", and "accept" where it is proposed.
Json policy_status_json(const Settings& settings, const policy::CompiledRules& rules,
                        const config::Judgements& all, const config::RuleDecisions& decisions);

/// The figures of a judgement: "since" to "lacking" as above.
Json judgement_json(const config::RuleJudgement& judged, std::uint64_t unreported);

/// {"all", "spam", "ham", "complained", "rescued"}
Json trial_counts_json(const replay::TrialCounts& counts);

/// "12 messages that it alone would have marked, 5 of them reported ...": why a rule is proposed.
std::string proposal_text(const config::RuleJudgement& judged);

/// "2026-11-23T22:10:05Z"
std::string time_text(WallTime time);

}  // namespace shingled::milter::view
