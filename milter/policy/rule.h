#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "milter/policy/check_condition.h"
#include "milter/policy/condition.h"
#include "milter/rules/verdict.h"

namespace shingled::milter::policy {

/// What a rule says about messages that meet its condition. It has a score, an action, or both.
struct Rule {
  std::string name;  ///< its symbol: letters, digits and '_', at most kRuleNameMax
  Condition condition;
  std::optional<double> score = {};          ///< negative: speaks for the message
  std::optional<rules::Action> action = {};  ///< not kPass
  /// Instead of an action: the strongest that the score and all other rules may have. kPass is
  /// `accept`, kAddHeader is `deliver`.
  std::optional<rules::Action> at_most = {};
  std::string reason = {};  ///< for people who ask why; may be empty
  std::string remedy = {};  ///< what somebody should do now; may be empty
  bool shadow = false;      ///< counted and logged, without effect
  bool enabled = true;

  friend bool operator==(const Rule&, const Rule&) = default;
};

/// "reject", "accept", "deliver"; empty if the rule only has a score.
inline std::string_view action_word(const Rule& rule) {
  if (rule.at_most) return *rule.at_most == rules::Action::kPass ? "accept" : "deliver";
  return rule.action ? rules::to_string(*rule.action) : std::string_view();
}

inline constexpr std::size_t kRuleNameMax = 64;
/// The most rules of a policy.
inline constexpr std::size_t kRulesMax = 10'000;

/// Something wrong with a rule.
struct RuleProblem {
  enum class Part : std::uint8_t { kName, kCondition, kScore, kAction };

  std::size_t rule = 0;  ///< its place in the list
  Part part = Part::kCondition;
  ConditionProblem problem;  ///< its place counts if the part is the condition
  friend bool operator==(const RuleProblem&, const RuleProblem&) = default;
};

/// Everything that is wrong with some rules: names that are taken or not valid, no score and no
/// action, conditions (check_condition.h), rules that need each other in a circle, and conditions
/// that can never be true. By rule, then by place.
/// Threads: stateless.
std::vector<RuleProblem> check_rules(std::span<const Rule> rules, const CheckContext& context);

/// For each rule those that its condition names, in the order of the text, as places in `rules`.
std::vector<std::vector<std::size_t>> needed_rules(std::span<const Rule> rules);

}  // namespace shingled::milter::policy
