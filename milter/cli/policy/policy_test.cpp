#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "config/document/yaml_document.h"
#include "config/system/whole_file.h"
#include "milter/cli/policy/case_message.h"
#include "milter/cli/policy/policy_cases.h"
#include "milter/cli/policy/policy_commands.h"
#include "milter/cli/terminal/exit_code.h"
#include "milter/policy/evaluate.h"
#include "milter/policy/explain.h"
#include "milter/policy/policy_rules.h"

namespace shingled::milter::cli {

namespace {

constexpr double kScoreTolerance = 1e-6;

/// Evaluates the cases one after the other.
class CaseRun {
 public:
  CaseRun(const policy::CompiledRules& rules, const ActionOptions& actions)
      : rules_(rules), actions_(actions), evaluation_(rules) {}

  /// What is not as it should be, with the numbers that decided.
  std::vector<std::string> failures_of(const PolicyCase& test) {
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

 private:
  void compare_rules(const PolicyCase& test, const policy::MessageFacts& facts,
                     std::vector<std::string>& out) const {
    for (const std::string& name : test.expect) {
      const std::size_t rule = place_of_rule(name);
      if (evaluation_.fires(rule)) continue;
      const char* what =
          evaluation_.of(rule) == policy::Truth::kUnknown ? "is unknown" : "is false";
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

  void compare_outcome(const PolicyCase& test, std::vector<std::string>& out) const {
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

  [[nodiscard]] std::size_t place_of_rule(const std::string& name) const {
    const auto found = std::ranges::find(rules_.rules, name, &policy::Rule::name);
    return static_cast<std::size_t>(found - rules_.rules.begin());
  }

  const policy::CompiledRules& rules_;
  const ActionOptions& actions_;
  policy::Evaluation evaluation_;
};

void print_failures(const PolicyTestArguments& arguments, const PolicyCase& test,
                    const std::vector<std::string>& failures, Console& console) {
  if (arguments.json) {
    console.json({{"case", test.name},
                  {"line", test.line},
                  {"passed", failures.empty()},
                  {"failures", failures}});
    return;
  }
  for (const std::string& failure : failures) {
    console.line(terminal_safe(
        fmt::format("{}:{}: {}: {}", arguments.cases, test.line, test.name, failure)));
  }
}

}  // namespace

int run_policy_test(const PolicyTestArguments& arguments, Console& console) {
  const auto text = read_whole_text(arguments.cases, config::kYamlBytesMax);
  if (!text) {
    console.error(terminal_safe(arguments.cases), text.error().message);
    return exit_code(text.error().code);
  }
  const auto settings = with_rules_of(*arguments.settings, arguments.rules).load(console);
  if (settings == nullptr) return EX_CONFIG;
  const auto policy = policy::policy_rules(*settings);
  if (policy.rules == nullptr) return EX_CONFIG;
  PolicyCases file = read_policy_cases(*text, arguments.cases, *policy.rules);
  for (const config::Problem& problem : file.problems)
    console.note(terminal_safe(problem.to_string()));
  if (!file.problems.empty()) return EX_DATAERR;

  CaseRun run(*policy.rules, settings->milter.actions);
  const auto messages = CaseMessages::open(
      *settings, *policy.rules, std::filesystem::path(arguments.cases).parent_path().string());
  if (!messages) {
    console.error("policy test", messages.error().message);
    return exit_code(messages.error().code);
  }
  std::size_t failed = 0;
  for (PolicyCase& test : file.cases) {
    if (!test.message.empty()) {
      if (Status read = messages->add_to(test.features, test.message); !read) {
        console.error(terminal_safe(fmt::format("{}:{}: {}: {}", arguments.cases, test.line,
                                                test.name, test.message)),
                      read.error().message);
        return exit_code(read.error().code);
      }
    }
    const auto failures = run.failures_of(test);
    if (!failures.empty()) ++failed;
    if (!failures.empty() || arguments.json) print_failures(arguments, test, failures, console);
  }
  if (!arguments.json)
    console.line(fmt::format("{}, {} failed", counted(file.cases.size(), "case", "cases"), failed));
  return failed == 0 ? EX_OK : EX_DATAERR;
}

}  // namespace shingled::milter::cli
