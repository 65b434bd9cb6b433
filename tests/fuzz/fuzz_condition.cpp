// The condition of a rule. What is wrong with it has a place inside it; what is right is printed
// and read as the same, and evaluated with nothing known.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "milter/policy/compile_rules.h"
#include "milter/policy/condition.h"
#include "milter/policy/evaluate.h"
#include "milter/policy/explain.h"
#include "milter/policy/parse_condition.h"

using namespace shingled::milter::policy;

namespace {

void check_place(const ConditionProblem& problem, std::size_t size) {
  if (problem.what.empty() || problem.place.offset > size) std::abort();
  if (problem.place.length > size - problem.place.offset) std::abort();
}

Rule rule_of(std::string name, Condition condition) {
  Rule rule;
  rule.name = std::move(name);
  rule.condition = std::move(condition);
  rule.score = 1;
  return rule;
}

void use(const Condition& condition, std::size_t size) {
  const CheckContext context{.symbols = {"FUZZY_DENIED", "FUZZY_PROB"}};
  const Condition other = std::get<Condition>(parse_condition("THIS and html"));
  std::vector<Rule> rules = {rule_of("THIS", condition), rule_of("OTHER", other)};
  for (const RuleProblem& found : check_rules(rules, context)) {
    if (found.rule == 0) check_place(found.problem, size);
  }
  const auto compiled = compile_rules(std::move(rules), context);
  if (!compiled) return;
  const FeatureValues features;
  const CounterReadings counters(compiled->needs.size());
  const std::vector<Truth> symbols(compiled->symbols.size(), Truth::kUnknown);
  const MessageFacts facts{features, counters, symbols};
  Evaluation evaluation(*compiled);
  evaluate(*compiled, facts, evaluation);
  if (evaluation.of(0) != Truth::kUnknown) std::abort();
  if (explain_rule(*compiled, facts, evaluation, 0).empty()) std::abort();
  near_misses(*compiled, facts, evaluation);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto result = parse_condition(text);
  if (const auto* problem = std::get_if<ConditionProblem>(&result)) {
    check_place(*problem, size);
    return 0;
  }
  const auto& condition = std::get<Condition>(result);
  const std::string canonical = to_string(condition);
  // The canonical text of a long condition may exceed the bound: it names each window.
  if (canonical.size() <= kConditionBytesMax) {
    const auto again = parse_condition(canonical);
    if (!std::holds_alternative<Condition>(again)) std::abort();
    if (std::get<Condition>(again) != condition) std::abort();
  }
  use(condition, size);
  return 0;
}
