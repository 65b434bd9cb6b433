#include "milter/policy/cases/case_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "milter/rules/verdict.h"

namespace shingled::milter::policy {

namespace {

constexpr double kScoreTolerance = 1e-6;

}  // namespace

std::vector<std::string> CaseRun::failures_of(const PolicyCase& test) {
  const auto counters = readings_of(test, rules_);
  std::vector<policy::Truth> symbols;
  for (const std::string& symbol : rules_.symbols) {
    symbols.push_back(
        policy::truth_of(std::ranges::find(test.symbols, symbol) != test.symbols.end()));
  }
  const policy::MessageFacts facts{test.features, counters, symbols};
  evaluate(rules_, facts, evaluation_);
  std::vector<std::string> out;
  compare_rules(test, facts, out);
  compare_outcome(test, out);
  return out;
}

void CaseRun::compare_rules(const PolicyCase& test, const policy::MessageFacts& facts,
                            std::vector<std::string>& out) const {
  for (const std::string& name : test.expect) {
    const std::size_t rule = place_of_rule(name);
    if (evaluation_.fires(rule)) continue;
    const char* what = evaluation_.of(rule) == policy::Truth::kUnknown ? "is unknown" : "is false";
    out.push_back(name + " should fire but " + what + ": " +
                  explain_condition(rules_, facts, evaluation_, rule));
  }
  for (const std::string& name : test.expect_not) {
    const std::size_t rule = place_of_rule(name);
    if (!evaluation_.fires(rule)) continue;
    out.push_back(name +
                  " should not fire: " + explain_condition(rules_, facts, evaluation_, rule));
  }
}

void CaseRun::compare_outcome(const PolicyCase& test, std::vector<std::string>& out) const {
  const policy::PolicyEffect effect = effect_of(rules_, evaluation_);
  if (test.score && std::abs(*test.score - effect.score) > kScoreTolerance)
    out.push_back(
        fmt::format("the rules give {:.2f} and should give {:.2f}", effect.score, *test.score));
  const rules::Action action =
      std::max(effect.action, rules::choose_action(effect.score + test.other_score, actions_));
  if (test.action && *test.action != action)
    out.push_back(fmt::format("the action is {} and should be {}", to_string(action),
                              to_string(*test.action)));
}

std::size_t CaseRun::place_of_rule(const std::string& name) const {
  const auto found = std::ranges::find(rules_.rules, name, &policy::Rule::name);
  return static_cast<std::size_t>(found - rules_.rules.begin());
}

}  // namespace shingled::milter::policy
