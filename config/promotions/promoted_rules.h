#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/options/policy_options.h"
#include "config/options/settings.h"
#include "config/promotions/decision_file.h"
#include "config/promotions/judgement_file.h"

namespace shingled::config {

/// Takes the rules out of shadow that these judgements promote, and no other: those that are still
/// what was judged, and that `policy.live` does not keep in shadow. It takes none
/// without `promote: auto` or without a history, which could not say when a rule's figures turn.
/// Threads: stateless.
void use_promotions(const Judgements& judgements, Settings& settings);

/// Takes rules out of shadow, or puts them there, as people decided; what an earlier call of it did
/// is undone. Not out of shadow where `policy.live` keeps them there. Call it after use_promotions.
/// Threads: stateless.
void use_decisions(const RuleDecisions& decisions, Settings& settings);

/// Both with the files of the settings; that of judgements is only read where it can matter. A file
/// of decisions that this user may not read counts as none.
/// Errors:  those of read_judgements and read_decisions; then no rule is out of shadow by its
///          figures, or nothing is decided.
/// Threads: any thread.
Status use_promotions(Settings& settings);

/// Whether a rule has no effect: by the settings, by its figures, or as a person decided. One that
/// is not in shadow by the settings is `kept` only by a decision.
/// Threads: stateless.
inline bool is_in_shadow(const PolicyRuleOptions& rule) {
  return rule.shadow ? !rule.promoted : rule.kept;
}

/// What a rule is, as a number: its condition, its score and its action, and those conditions of
/// the rules that it names, and so on. Any change of these makes it another rule; what is written
/// for people, and whether it is in shadow, does not. By rule.
/// Threads: stateless.
/// Cost:    linear in the conditions; a rule that many name is read once for each.
std::vector<std::uint64_t> identities_of(const std::vector<PolicyRuleOptions>& rules);

}  // namespace shingled::config
