#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "milter/policy/condition.h"

namespace shingled::milter::policy {

/// The condition of a rule by its name; null if there is no such rule, or it is not enabled.
using FindRule = std::function<const Condition*(std::string_view)>;

/// The problem of a condition that no message can meet: `hour > 23`, or two comparisons of one
/// value that exclude each other, also through other rules. nullopt for any other condition, and
/// for one that is too large to find out.
///
/// Counters with several values may meet two comparisons with two of their values, so these do not
/// exclude each other.
///
/// The condition has passed check_condition, and rules do not need each other in a circle.
/// Threads: stateless.
/// Cost:    bounded: it gives up after a thousand steps.
std::optional<ConditionProblem> never_true(const Condition& condition, const FindRule& find_rule);

}  // namespace shingled::milter::policy
