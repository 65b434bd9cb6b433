#include <fmt/format.h>
#include <sysexits.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "config/document/yaml_document.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/policy/policy_commands.h"
#include "milter/policy/policy_rules.h"

namespace shingled::milter::cli {

namespace {

std::string absolute_path(const std::string& path) {
  std::error_code failure;
  const auto absolute = std::filesystem::absolute(path, failure);
  return failure ? path : absolute.string();
}

void print_problem(const config::Problem& problem, bool json, Console& console) {
  if (!json) {
    console.note(terminal_safe(problem.to_string()));
    return;
  }
  console.json({{"file", problem.file},
                {"line", problem.line},
                {"column", problem.column},
                {"about", problem.key},
                {"problem", problem.what},
                {"severity", problem.is_error() ? "error" : "warning"}});
}

}  // namespace

SettingsArguments with_rules_of(const SettingsArguments& settings,
                                const std::vector<std::string>& files) {
  SettingsArguments out = settings;
  if (files.empty()) return out;
  config::YamlNode list;
  list.kind = config::YamlNode::Kind::kList;
  for (const std::string& file : files) {
    config::YamlNode& item = list.items.emplace_back();
    item.kind = config::YamlNode::Kind::kScalar;
    item.text = absolute_path(file);
  }
  // They come first, so that -o can still change one of these rules.
  out.overrides.insert(out.overrides.begin(),
                       {"policy={}", "policy.files=" + config::flow_text(list)});
  return out;
}

int run_policy_check(const PolicyCheckArguments& arguments, Console& console) {
  config::Loaded loaded = with_rules_of(*arguments.settings, arguments.files).read();
  std::size_t rules = 0;
  if (loaded.settings != nullptr) {
    rules = loaded.settings->policy.rules.size();
    const auto found = policy::policy_rules(*loaded.settings).problems;
    loaded.problems.insert(loaded.problems.end(), found.begin(), found.end());
  }
  std::size_t errors = 0;
  for (const config::Problem& problem : loaded.problems) {
    print_problem(problem, arguments.json, console);
    if (problem.is_error()) ++errors;
  }
  if (errors > 0) return EX_CONFIG;
  if (!arguments.json) {
    const std::size_t warnings = loaded.problems.size();
    console.line(counted(rules, "rule", "rules") + ": no error found" +
                 (warnings == 0 ? "" : ", " + counted(warnings, "warning", "warnings")));
  }
  return EX_OK;
}

}  // namespace shingled::milter::cli
