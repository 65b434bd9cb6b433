#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "milter/policy/check_condition.h"
#include "milter/policy/rule.h"

namespace shingled::milter::policy {

/// Everything that is wrong with some rules: names that are taken or not valid, no score and no
/// action, conditions (check_condition.h), rules that need each other in a circle, and conditions
/// that can never be true. By rule, then by place.
/// Threads: stateless.
std::vector<RuleProblem> check_rules(std::span<const Rule> rules, const CheckContext& context);

/// For each rule those that its condition names, in the order of the text, as places in `rules`.
std::vector<std::vector<std::size_t>> needed_rules(std::span<const Rule> rules);

}  // namespace shingled::milter::policy
