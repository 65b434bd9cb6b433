#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/options/policy_options.h"

namespace shingled::config {

/// What a rule is, as a number: its condition, its score and its action, and those conditions of
/// the rules that it names, and so on. Any change of these makes it another rule; what is written
/// for people, and whether it is in shadow, does not. By rule.
/// Threads: stateless.
/// Cost:    linear in the conditions; a rule that many name is read once for each.
std::vector<std::uint64_t> identities_of(const std::vector<PolicyRuleOptions>& rules);

}  // namespace shingled::config
