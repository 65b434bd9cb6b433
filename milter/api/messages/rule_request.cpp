#include "milter/api/messages/rule_request.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "milter/policy/parse_condition.h"
#include "milter/policy/rule.h"

namespace shingled::milter::api {

namespace {

using policy::ConditionProblem;
using policy::RuleProblem;

Error wrong(std::string_view what) { return {ErrorCode::kInvalid, std::string(what)}; }

std::optional<PolicyAction> action_of(std::string_view word) {
  for (const PolicyAction action :
       {PolicyAction::kAddHeader, PolicyAction::kTempfail, PolicyAction::kQuarantine,
        PolicyAction::kReject, PolicyAction::kDiscard, PolicyAction::kAccept,
        PolicyAction::kDeliver})
    if (to_string(action) == word) return action;
  return std::nullopt;
}

/// A text member; "" without it or for null.
Result<std::string> text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::string();
  if (!found->is_string()) return wrong(std::string(name) + ": must be a text");
  return found->get<std::string>();
}

Status read_effect(const Json& object, PolicyRuleOptions& rule) {
  if (const auto score = object.find("score"); score != object.end() && !score->is_null()) {
    if (!score->is_number() || !std::isfinite(score->get<double>()))
      return wrong("score: must be a number");
    rule.score = score->get<double>();
  }
  const auto word = text_member(object, "action");
  if (!word) return word.error();
  if (word->empty()) return {};
  rule.action = action_of(*word);
  if (!rule.action)
    return wrong(
        "action: must be add_header, tempfail, quarantine, reject, discard, accept or deliver");
  return {};
}

/// Characters of UTF-8 before this place; a byte that continues one does not begin one.
std::size_t characters(std::string_view text, std::size_t bytes) {
  const std::string_view before = text.substr(0, std::min(bytes, text.size()));
  return static_cast<std::size_t>(std::ranges::count_if(
      before, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string_view part_text(RuleProblem::Part part) {
  constexpr std::array<std::string_view, 4> kWords = {"name", "condition", "score", "action"};
  return kWords[static_cast<std::size_t>(part)];
}

Json mistake_json(const RuleProblem& found, std::string_view condition) {
  const ConditionProblem& problem = found.problem;
  const bool in_text = found.part == RuleProblem::Part::kCondition;
  const std::size_t begin = in_text ? characters(condition, problem.place.offset) : 0;
  const std::size_t end =
      in_text ? characters(condition, problem.place.offset + problem.place.length) : 0;
  return {{"part", part_text(found.part)},
          {"column", begin + 1},
          {"length", end - begin},
          {"text", problem.what},
          {"hint", problem.hint.empty() ? Json(nullptr) : Json(problem.hint)},
          {"warning", !problem.is_error()}};
}

/// As policy_rules makes it, for the check alone.
policy::Rule checked_rule(const PolicyRuleOptions& options, policy::Condition condition) {
  policy::Rule out{.name = options.name, .condition = std::move(condition)};
  out.score = options.score;
  if (options.action == PolicyAction::kAccept || options.action == PolicyAction::kDeliver) {
    out.at_most = rules::Action::kPass;
  } else if (options.action) {
    out.action = rules::action_of(*options.action);
  }
  out.enabled = options.enabled;
  return out;
}

}  // namespace

Result<RequestedRule> parse_rule_request(std::string_view body, bool may_do_nothing) {
  const Json object = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return wrong("the body must be an object: {\"name\", \"if\", \"score\", \"action\"}");
  for (const auto& [name, value] : object.items()) {
    static_cast<void>(value);
    if (name != "name" && name != "if" && name != "score" && name != "action" && name != "since")
      return wrong("unknown member; allowed: name, if, score, action, since");
  }
  RequestedRule out;
  auto condition = text_member(object, "if");
  if (!condition) return condition.error();
  out.rule.condition = *std::move(condition);
  auto name = text_member(object, "name");
  if (!name) return name.error();
  out.rule.name = name->empty() ? kUnnamed : *std::move(name);
  auto since = text_member(object, "since");
  if (!since) return since.error();
  out.since = *std::move(since);
  if (Status read = read_effect(object, out.rule); !read) return read.error();
  if (may_do_nothing && !out.rule.score && !out.rule.action) out.rule.score = 1;
  return out;
}

RulesWithOne with_rule(const std::vector<PolicyRuleOptions>& rules, PolicyRuleOptions rule) {
  RulesWithOne out{.rules = rules};
  const auto same = std::ranges::find(out.rules, rule.name, &PolicyRuleOptions::name);
  out.place = static_cast<std::size_t>(same - out.rules.begin());
  if (same == out.rules.end()) {
    out.rules.push_back(std::move(rule));
  } else {
    *same = std::move(rule);
  }
  return out;
}

Json mistakes_json(const RulesWithOne& rules, const policy::CheckContext& context) {
  constexpr const char* kNobodyWrites = " ";
  const std::string& condition = rules.rules[rules.place].condition;
  Json out = Json::array();
  std::vector<policy::Rule> checked;
  for (std::size_t i = 0; i < rules.rules.size(); ++i) {
    auto read = policy::parse_condition(rules.rules[i].condition);
    policy::Condition parsed;
    if (auto* const problem = std::get_if<ConditionProblem>(&read)) {
      if (i == rules.place)
        out.push_back(
            mistake_json({i, RuleProblem::Part::kCondition, std::move(*problem)}, condition));
      parsed.atom.name = kNobodyWrites;
    } else {
      parsed = std::get<policy::Condition>(std::move(read));
    }
    checked.push_back(checked_rule(rules.rules[i], std::move(parsed)));
  }
  policy::CheckContext with_unreadable = context;
  with_unreadable.symbols.emplace_back(kNobodyWrites);
  for (const RuleProblem& found : policy::check_rules(checked, with_unreadable))
    if (found.rule == rules.place) out.push_back(mistake_json(found, condition));
  return out;
}

}  // namespace shingled::milter::api
