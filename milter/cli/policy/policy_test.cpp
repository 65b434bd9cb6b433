#include <fmt/format.h>
#include <sysexits.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "config/document/yaml_document.h"
#include "config/system/whole_file.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/policy/policy_commands.h"
#include "milter/policy/cases/case_message.h"
#include "milter/policy/cases/case_run.h"
#include "milter/policy/cases/policy_cases.h"
#include "milter/policy/policy_rules.h"

namespace shingled::milter::cli {

namespace {

void print_failures(const PolicyTestArguments& arguments, const policy::PolicyCase& test,
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
  policy::PolicyCases file = policy::read_policy_cases(*text, arguments.cases, *policy.rules);
  for (const config::Problem& problem : file.problems)
    console.note(terminal_safe(problem.to_string()));
  if (!file.problems.empty()) return EX_DATAERR;

  policy::CaseRun run(*policy.rules, settings->milter.actions);
  const auto messages = policy::CaseMessages::open(
      *settings, *policy.rules, std::filesystem::path(arguments.cases).parent_path().string());
  if (!messages) {
    console.error("policy test", messages.error().message);
    return exit_code(messages.error().code);
  }
  std::size_t failed = 0;
  for (policy::PolicyCase& test : file.cases) {
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
