#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "config/promotions/decision_file.h"
#include "config/promotions/judgement_file.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/policy/policy_commands.h"
#include "milter/desk/daemon_choice.h"
#include "milter/policy/policy_rules.h"
#include "milter/promotion/rule_status.h"
#include "milter/view/policy_json.h"

namespace shingled::milter::cli {

namespace {

std::string number_of(const Json& rule, const char* member) {
  return std::to_string(rule.value(member, std::uint64_t{0}));
}

std::string text_of(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? terminal_safe(found->get<std::string>())
                                                     : "";
}

TableRow status_row(const Json& rule) {
  TableRow row = {text_of(rule, "rule"), text_of(rule, "state")};
  if (!rule.contains("since")) {
    row.insert(row.end(), 6, "-");
  } else {
    row.insert(row.end(),
               {text_of(rule, "since"), number_of(rule, "messages"), number_of(rule, "reported"),
                number_of(rule, "rescued"), number_of(rule, "correspondents"),
                fmt::format("{:.3f} %", rule.value("share", 0.0))});
  }
  row.push_back(text_of(rule, "note"));
  return row;
}

void print_status(const Json& status, Console& console) {
  console.line(text_of(status, "summary"));
  console.line("");
  std::vector<TableRow> rows = {
      {"rule", "state", "since", "messages", "reported", "rescued", "friends", "share", "note"}};
  const Json& rules = status.at("rules");
  for (const Json& rule : rules) rows.push_back(status_row(rule));
  print_table(rows, "", console);
  for (const Json& rule : rules) {
    if (!rule.contains("accept")) continue;
    console.line("");
    console.line(fmt::format("To accept {}, in shingled.yaml, then reload: {}",
                             text_of(rule, "rule"), text_of(rule, "accept")));
  }
}

/// What the daemon elsewhere says.
/// Errors: those of DaemonClient; kCorrupt.
Result<Json> status_there(const Settings& settings) {
  const SystemClock clock;
  auto page = desk::daemon_of(settings, clock).get("/api/1/policy");
  if (!page) return page.error();
  const auto rules = page->find("rules");
  const bool fits = rules != page->end() && rules->is_array() &&
                    std::ranges::all_of(*rules, [](const Json& rule) { return rule.is_object(); });
  if (!fits) return Error{ErrorCode::kCorrupt, "the answer has no rules"};
  return page;
}

/// What the files say.
Result<Json> status_here(const Settings& settings, const policy::CompiledRules& rules) {
  config::Judgements all;
  if (promotion::judges(settings)) {
    auto read = config::read_judgements(config::judgement_file(settings.history));
    if (!read) return read.error();
    all = *std::move(read);
  }
  const auto decisions = config::read_decisions(config::decision_file(settings.history));
  if (!decisions) return decisions.error();
  return view::policy_status_json(settings, rules, all, *decisions);
}

}  // namespace

int run_policy_status(const PolicyStatusArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  const bool elsewhere = desk::asks_another_machine(*settings);
  const auto rules = elsewhere ? nullptr : policy::policy_rules(*settings).rules;
  if (!elsewhere && rules == nullptr) return EX_CONFIG;
  const auto status = elsewhere ? status_there(*settings) : status_here(*settings, *rules);
  if (!status) {
    console.error("policy status", status.error().message);
    return elsewhere ? service_exit_code(status.error()) : exit_code(status.error().code);
  }
  if (arguments.json) {
    console.json(*status);
  } else {
    print_status(*status, console);
  }
  return EX_OK;
}

}  // namespace shingled::milter::cli
