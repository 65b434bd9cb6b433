#include <fmt/format.h>
#include <sysexits.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "milter/cli/access/printing.h"
#include "milter/cli/policy/policy_commands.h"
#include "milter/policy/policy_rules.h"
#include "milter/replay/history_span.h"
#include "milter/replay/rule_trial.h"
#include "milter/view/trial_json.h"

namespace shingled::milter::cli {

namespace {

using policy::CompiledRules;
using policy::Rule;
using replay::kTrialActions;
using replay::kUsualWindow;
using replay::spam_share;
using replay::TrialChange;
using replay::TrialCounts;
using replay::TrialReport;
using replay::windows_of;
using rules::Action;

/// What is tried: rules, and the thresholds of the score.
struct Tried {
  std::shared_ptr<const CompiledRules> rules;
  ActionOptions actions;
};

std::optional<Tried> rules_to_try(const Settings& settings, bool live, Console& console) {
  PolicyOptions options = settings.policy;
  if (live) {
    for (PolicyRuleOptions& rule : options.rules) rule.shadow = rule.kept = false;
  }
  auto checked = policy::policy_rules(options, policy::check_context(settings));
  for (const config::Problem& problem : checked.problems)
    console.note(terminal_safe(problem.to_string()));
  if (checked.rules == nullptr) return std::nullopt;
  return Tried{std::move(checked.rules), settings.milter.actions};
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string effect_text_of(const Rule& rule) {
  std::string out;
  if (rule.score) out = fmt::format("{:+.2f}", *rule.score);
  const std::string_view action = policy::action_word(rule);
  if (!action.empty()) out += (out.empty() ? "" : " ") + std::string(action);
  if (rule.shadow) out += " shadow";
  if (!rule.enabled) out += " off";
  return out;
}

void print_rules(const Tried& tried, const TrialReport& report, Console& console) {
  std::vector<TableRow> rows = {
      {"rule", "hits", "spam", "ham", "complained", "rescued", "S/O", "effect"}};
  for (std::size_t i = 0; i < tried.rules->rules.size(); ++i) {
    const TrialCounts& hits = report.rules[i];
    const Rule& rule = tried.rules->rules[i];
    rows.push_back(
        {terminal_safe(rule.name), std::to_string(hits.all), std::to_string(hits.spam),
         std::to_string(hits.ham), std::to_string(hits.complained), std::to_string(hits.rescued),
         hits.spam + hits.ham == 0 ? "-" : fmt::format("{:.3f}", spam_share(hits, report.messages)),
         effect_text_of(rule)});
  }
  print_table(rows, "", console);
}

void print_thresholds(const TrialReport& report, Console& console) {
  std::vector<TableRow> rows = {{"at least", "spam before", "now", "ham before", "now"}};
  for (std::size_t i = 1; i < kTrialActions; ++i) {
    const TrialCounts& before = report.before[i];
    const TrialCounts& after = report.after[i];
    if (before.all == 0 && after.all == 0) continue;
    const auto cell = [](std::uint64_t part, std::uint64_t whole) {
      return fmt::format("{} ({})", part, share_text(part, whole));
    };
    rows.push_back({std::string(to_string(static_cast<Action>(i))),
                    cell(before.spam, report.messages.spam), cell(after.spam, report.messages.spam),
                    cell(before.ham, report.messages.ham), cell(after.ham, report.messages.ham)});
  }
  if (rows.size() == 1) return;
  console.line("");
  print_table(rows, "", console);
}

void print_changes(const TrialReport& report, Console& console) {
  std::uint64_t changed = 0;
  std::vector<TableRow> kinds;
  for (std::size_t from = 0; from < kTrialActions; ++from) {
    for (std::size_t to = 0; to < kTrialActions; ++to) {
      const std::uint64_t count = report.changes[from][to];
      changed += count;
      if (count != 0)
        kinds.push_back(
            {std::to_string(count), fmt::format("{} → {}", to_string(static_cast<Action>(from)),
                                                to_string(static_cast<Action>(to)))});
    }
  }
  console.line("");
  console.line(counted(changed, "verdict", "verdicts") + " would be another one" +
               (changed == 0 ? "" : ":"));
  print_table(kinds, "  ", console);
  std::vector<TableRow> examples;
  for (const TrialChange& change : report.examples) {
    examples.push_back({replay::moment_text(change.time), terminal_safe(change.queue_id),
                        fmt::format("{} → {}", to_string(change.from), to_string(change.to)),
                        fmt::format("{:.2f} → {:.2f}", change.score_from, change.score_to)});
  }
  if (!examples.empty()) console.line("the newest of them:");
  print_table(examples, "  ", console);
}

/// "SENDER_FLOOD, SUBJECT_FLOOD and 3 others": those that want a window.
std::string rules_with(const CompiledRules& rules, const std::string& window) {
  constexpr std::size_t kNamed = 5;
  std::string out;
  std::size_t found = 0;
  const auto windows = windows_of(rules);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (!windows[i].contains(window) || ++found > kNamed) continue;
    out += (out.empty() ? "" : ", ") + terminal_safe(rules.rules[i].name);
  }
  if (found > kNamed)
    out += fmt::format(" and {}", counted(found - kNamed, "other rule", "other rules"));
  return out;
}

void print_trial(const Tried& tried, const TrialReport& report, Console& console) {
  const TrialCounts& all = report.messages;
  console.line(fmt::format("{}: {} spam, {} ham ({} complained, {} rescued)",
                           counted(all.all, "message", "messages"), all.spam, all.ham,
                           all.complained, all.rescued));
  for (const auto& [window, count] : report.lacking) {
    console.line(fmt::format("{} of them without {}: unknown for {}", count,
                             window == kUsualWindow ? "what is usual, which no history has"
                                                    : "the window " + window + " (history.windows)",
                             rules_with(*tried.rules, window)));
  }
  if (tried.rules->asks_names()) {
    console.line(
        "The history keeps no names: comparisons of addresses, domains and the like are unknown, "
        "and rules that need them do not fire here.");
  }
  if (report.unseen > 0)
    console.line(fmt::format("{} judged without a look at them: not tried", report.unseen));
  if (report.broken > 0) console.line(fmt::format("{} cannot be read: not tried", report.broken));
  console.line("");
  print_rules(tried, report, console);
  print_thresholds(report, console);
  print_changes(report, console);
}

}  // namespace

int run_policy_try(const PolicyTryArguments& arguments, Console& console) {
  const auto settings = with_rules_of(*arguments.settings, arguments.rules).load(console);
  if (settings == nullptr) return EX_CONFIG;
  const SystemClock clock;
  const auto span = replay::span_of(arguments.span, clock.wall());
  if (!span) {
    console.error("usage", span.error().message);
    return EX_USAGE;
  }
  const auto tried = rules_to_try(*settings, arguments.live, console);
  if (!tried) return EX_CONFIG;
  ProgressMeter meter(console, clock);
  const auto report = replay::try_rules(settings->history.file, *span, *tried->rules,
                                        tried->actions, meter.watcher());
  if (!report) return meter.failed("policy try", report.error());
  if (arguments.json) {
    console.json(view::trial_json(*tried->rules, *report));
  } else {
    print_trial(*tried, *report, console);
  }
  return report->broken == 0 ? EX_OK : EX_DATAERR;
}

}  // namespace shingled::milter::cli
