#include <fmt/format.h>
#include <sysexits.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "config/promotions/judgement_file.h"
#include "config/promotions/promoted_rules.h"
#include "milter/cli/policy/policy_commands.h"
#include "milter/cli/terminal/exit_code.h"
#include "milter/policy/policy_rules.h"
#include "milter/promotion/decide.h"
#include "milter/replay/history_span.h"
#include "milter/replay/row_replay.h"

namespace shingled::milter::cli {

namespace {

using config::Judgements;
using config::RuleFigures;
using config::RuleJudgement;
using config::RuleStage;

/// A rule as `policy status` shows it.
struct RuleStatus {
  std::string name;
  std::string state;  ///< "live" "kept" "off", or that of its judgement
  const RuleJudgement* judged = nullptr;
  std::string note;
};

std::string time_text(WallTime time) {
  return replay::moment_text(
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count());
}

/// What keeps a rule from being judged, whatever its figures are; empty if nothing does.
std::string no_judgement(const policy::Rule& rule, const RuleJudgement& judged,
                         std::uint64_t messages) {
  if (rule.score.value_or(0) == 0 && !rule.action && !rule.at_most)
    return "no effect by itself: other rules name it";
  if (rule.score.value_or(0) <= 0 && !rule.action) return "speaks for mail: never proposed";
  for (const auto& [window, count] : judged.lacking) {
    if (count < messages) continue;
    return window == replay::kUsualWindow
               ? "needs what is usual, which no history has"
               : fmt::format("needs the window {}, which is not in history.windows", window);
  }
  return {};
}

std::string note_of(const policy::Rule& rule, const RuleJudgement& judged, const Judgements& all) {
  if (judged.stage == RuleStage::kPromoted) return {};
  if (judged.stage == RuleStage::kReturned)
    return "its figures turned; not again before " + time_text(judged.since + promotion::kRest);
  std::string out = no_judgement(rule, judged, all.messages);
  if (!out.empty()) return out;
  if (judged.stage == RuleStage::kShadow) out = promotion::why_not(judged.figures, all.unreported);
  for (const auto& [window, count] : judged.lacking)
    out += fmt::format("{}{} without {}", out.empty() ? "" : "; ", count,
                       window == replay::kUsualWindow ? "what is usual" : "the window " + window);
  if (judged.figures.stopped > 0)
    out += fmt::format("{}{} would have been stopped that nobody reported", out.empty() ? "" : "; ",
                       judged.figures.stopped);
  return out;
}

RuleStatus status_of(const PolicyRuleOptions& options, const policy::Rule& rule,
                     const Judgements& all, std::uint64_t identity) {
  RuleStatus out{.name = options.name};
  if (!options.enabled) {
    out.state = "off";
  } else if (!options.shadow) {
    out.state = "live";
  } else if (options.kept) {
    out.state = "kept";
    out.note = "in shadow by policy.live";
  } else {
    const RuleJudgement* const judged = all.find(options.name);
    if (judged == nullptr || judged->identity != identity) {
      out.state = "shadow";
      out.note = judged == nullptr ? "not judged yet" : "changed since it was judged";
      return out;
    }
    out.judged = judged;
    // What the settings have is in force.
    const bool promoted = judged->stage == RuleStage::kPromoted && !options.promoted;
    out.state = promoted ? "shadow" : std::string(to_string(judged->stage));
    out.note = note_of(rule, *judged, all);
    if (promoted) out.note = "good figures; policy.promote does not say auto";
  }
  return out;
}

std::vector<RuleStatus> statuses_of(const Settings& settings, const policy::CompiledRules& rules,
                                    const Judgements& all) {
  const auto identities = config::identities_of(settings.policy.rules);
  std::vector<RuleStatus> out;
  for (std::size_t i = 0; i < settings.policy.rules.size(); ++i)
    out.push_back(status_of(settings.policy.rules[i], rules.rules[i], all, identities[i]));
  return out;
}

/// Why there are no judgements, or what they are of.
std::string what_was_judged(const Settings& settings, const Judgements& all) {
  if (settings.policy.promote == PolicyPromote::kOff)
    return "policy.promote is off: rules in shadow are not judged.";
  if (!settings.history.enabled)
    return "history.enabled is no: there is no history that could say anything of rules in shadow.";
  if (all.judged == WallTime())
    return "Not judged yet: the daemon does that shortly after its start, then once a day.";
  if (all.messages == 0)
    return fmt::format("Judged {} on an empty history.", time_text(all.judged));
  std::string out = fmt::format("Judged {} on {} since {}, {} of them reported.",
                                time_text(all.judged), counted(all.messages, "message", "messages"),
                                time_text(all.first), all.messages - all.unreported);
  if (all.messages < promotion::kMessagesMin)
    out += fmt::format(" A rule needs at least {}.", promotion::kMessagesMin);
  if (all.broken > 0) out += fmt::format(" {} cannot be read.", all.broken);
  return out;
}

void print_status(const Settings& settings, const std::vector<RuleStatus>& rules,
                  const Judgements& all, Console& console) {
  console.line(what_was_judged(settings, all));
  console.line("");
  std::vector<TableRow> rows = {
      {"rule", "state", "since", "messages", "reported", "rescued", "friends", "share", "note"}};
  for (const RuleStatus& rule : rules) {
    TableRow& row = rows.emplace_back(TableRow{terminal_safe(rule.name), rule.state});
    if (rule.judged == nullptr) {
      row.insert(row.end(), 6, "-");
    } else {
      const RuleFigures& figures = rule.judged->figures;
      row.insert(row.end(),
                 {time_text(rule.judged->since), std::to_string(figures.messages),
                  std::to_string(figures.reported), std::to_string(figures.rescued),
                  std::to_string(figures.correspondents),
                  fmt::format("{:.3f} %", promotion::unreported_share(figures, all.unreported))});
    }
    row.push_back(terminal_safe(rule.note));
  }
  print_table(rows, "", console);
  for (const RuleStatus& rule : rules) {
    if (rule.state != to_string(RuleStage::kProposed)) continue;
    console.line("");
    console.line(fmt::format("To accept {}, in shingled.yaml, then reload: {}",
                             terminal_safe(rule.name),
                             terminal_safe(promotion::accepting(settings.policy, rule.name))));
  }
}

Json status_json(const Settings& settings, const RuleStatus& rule, const Judgements& all) {
  Json out = {{"rule", rule.name}, {"state", rule.state}};
  if (rule.judged != nullptr) {
    const RuleFigures& figures = rule.judged->figures;
    out["since"] = time_text(rule.judged->since);
    out["messages"] = figures.messages;
    out["reported"] = figures.reported;
    out["rescued"] = figures.rescued;
    out["correspondents"] = figures.correspondents;
    out["unreported"] = figures.unreported;
    out["stopped"] = figures.stopped;
    out["share"] = promotion::unreported_share(figures, all.unreported);
    Json lacking = Json::object();
    for (const auto& [window, count] : rule.judged->lacking) lacking[window] = count;
    out["lacking"] = std::move(lacking);
  }
  if (!rule.note.empty()) out["note"] = rule.note;
  if (rule.state == to_string(RuleStage::kProposed))
    out["accept"] = promotion::accepting(settings.policy, rule.name);
  return out;
}

}  // namespace

int run_policy_status(const PolicyStatusArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  const auto rules = policy::policy_rules(*settings).rules;
  if (rules == nullptr) return EX_CONFIG;
  Judgements all;
  const bool judges = settings->policy.promote != PolicyPromote::kOff && settings->history.enabled;
  if (judges) {
    auto read = config::read_judgements(config::judgement_file(settings->history));
    if (!read) {
      console.error("policy status", read.error().message);
      return exit_code(read.error().code);
    }
    all = *std::move(read);
  }
  const std::vector<RuleStatus> statuses = statuses_of(*settings, *rules, all);
  if (!arguments.json) {
    print_status(*settings, statuses, all, console);
    return EX_OK;
  }
  Json list = Json::array();
  for (const RuleStatus& rule : statuses) list.push_back(status_json(*settings, rule, all));
  Json out = {{"promote", std::string(to_string(settings->policy.promote))},
              {"judged", all.judged == WallTime() ? Json() : Json(time_text(all.judged))},
              {"messages", all.messages},
              {"unreported", all.unreported},
              {"broken", all.broken},
              {"summary", what_was_judged(*settings, all)},
              {"rules", std::move(list)}};
  console.json(out);
  return EX_OK;
}

}  // namespace shingled::milter::cli
