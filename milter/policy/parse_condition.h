#pragma once

#include <string_view>
#include <variant>

#include "milter/policy/condition.h"

namespace shingled::milter::policy {

/// Reads a condition. Names are looked up only to see how far a value goes: check_condition checks
/// them. A counter always has a measure, so `from.spam` is none of the names and `from` is.
///
///     condition = term {"or" term}
///     term      = factor {"and" factor}
///     factor    = ["not"] (atom | "(" condition ")")
///     atom      = COUNTER.MEASURE op amount ["in" window]
///               | COUNTER.MEASURE op percent "of" count ["in" window]
///               | COUNTER.MEASURE op factor "x usual" ["in" window]
///               | NAME "=" value | NAME "!=" value
///               | NAME "in" "[" value {"," value} "]" | NAME "in" file
///               | FEATURE [op value] | SYMBOL
///     op        = ">=" | ">" | "<=" | "<" | "=" | "!="
///
/// Errors:  the first thing that is wrong; never a warning. A text of more than kConditionBytesMax
///          bytes or with too many brackets is wrong.
/// Threads: stateless.
/// Cost:    linear in the text, which is bounded.
std::variant<Condition, ConditionProblem> parse_condition(std::string_view text);

}  // namespace shingled::milter::policy
