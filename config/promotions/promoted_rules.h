#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/options/policy_options.h"
#include "config/options/settings.h"
#include "config/promotions/judgement_file.h"

namespace shingled::config {

/// Takes the rules out of shadow that these judgements promote, and no other: those that are still
/// what was judged, and that `policy.live` does not keep in shadow. It takes none
/// without `promote: auto` or without a history, which could not say when a rule's figures turn.
/// Threads: stateless.
void use_promotions(const Judgements& judgements, Settings& settings);

/// The same with the file of the settings, which is only read where it can matter.
/// Errors:  those of read_judgements; then no rule is out of shadow by its figures.
/// Threads: any thread.
Status use_promotions(Settings& settings);

/// What a rule is, as a number: its condition, its score and its action, and those conditions of
/// the rules that it names, and so on. Any change of these makes it another rule; what is written
/// for people, and whether it is in shadow, does not. By rule.
/// Threads: stateless.
/// Cost:    linear in the conditions; a rule that many name is read once for each.
std::vector<std::uint64_t> identities_of(const std::vector<PolicyRuleOptions>& rules);

}  // namespace shingled::config
