#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "config/options/policy_options.h"
#include "milter/policy/check_condition.h"
#include "milter/policy/compile_rules.h"
#include "milter/view/json.h"

namespace shingled::milter::api {

/// A rule in the body of a request: {"name", "if", "score", "action"}.
struct RequestedRule {
  PolicyRuleOptions rule;
  std::string since = {};  ///< of a trial
};

/// Reads it. `name` is kUnnamed without one; a rule without score and action has a score of 1 if
/// `may_do_nothing`.
/// Errors: kInvalid: not such an object; names the member.
/// Threads: stateless.
Result<RequestedRule> parse_rule_request(std::string_view body, bool may_do_nothing);

inline constexpr const char* kUnnamed = "NEW_RULE";

/// The rules with this one, in the place of one of the same name or at the end.
struct RulesWithOne {
  std::vector<PolicyRuleOptions> rules;
  std::size_t place = 0;
};
RulesWithOne with_rule(const std::vector<PolicyRuleOptions>& rules, PolicyRuleOptions rule);

/// What is wrong with one of the rules: [{"part", "column", "length", "text", "hint", "warning"}],
/// in the order of the text. Columns and lengths are in characters, columns from 1.
/// Threads: stateless.
Json mistakes_json(const RulesWithOne& rules, const policy::CheckContext& context);

}  // namespace shingled::milter::api
