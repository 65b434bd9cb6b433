#include "milter/view/policy_json.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "milter/promotion/decide.h"
#include "milter/replay/history_span.h"

namespace shingled::milter::view {

using config::Judgements;
using config::RuleFigures;
using config::RuleJudgement;
using promotion::RuleStatus;

namespace {

Json rule_status_json(const Settings& settings, const RuleStatus& rule, const Judgements& all) {
  Json out = {{"rule", rule.name}, {"state", rule.state}};
  if (rule.judged != nullptr) out.update(judgement_json(*rule.judged, all.unreported));
  if (!rule.note.empty()) out["note"] = rule.note;
  if (rule.state == to_string(config::RuleStage::kProposed))
    out["accept"] = promotion::accepting(settings.policy, rule.name);
  return out;
}

}  // namespace

std::string time_text(WallTime time) {
  return replay::moment_text(
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count());
}

Json judgement_json(const RuleJudgement& judged, std::uint64_t unreported) {
  const RuleFigures& figures = judged.figures;
  Json lacking = Json::object();
  for (const auto& [window, count] : judged.lacking) lacking[window] = count;
  return {{"since", time_text(judged.since)},
          {"messages", figures.messages},
          {"reported", figures.reported},
          {"rescued", figures.rescued},
          {"correspondents", figures.correspondents},
          {"unreported", figures.unreported},
          {"stopped", figures.stopped},
          {"share", promotion::unreported_share(figures, unreported)},
          {"lacking", std::move(lacking)}};
}

Json policy_status_json(const Settings& settings, const policy::CompiledRules& rules,
                        const Judgements& all, const config::RuleDecisions& decisions) {
  Json list = Json::array();
  for (const RuleStatus& rule : promotion::statuses_of(settings, rules, all, decisions))
    list.push_back(rule_status_json(settings, rule, all));
  return {{"promote", std::string(to_string(settings.policy.promote))},
          {"judged", all.judged == WallTime() ? Json() : Json(time_text(all.judged))},
          {"messages", all.messages},
          {"unreported", all.unreported},
          {"broken", all.broken},
          {"summary", promotion::what_was_judged(settings, all)},
          {"rules", std::move(list)}};
}

Json trial_counts_json(const replay::TrialCounts& counts) {
  return {{"all", counts.all},
          {"spam", counts.spam},
          {"ham", counts.ham},
          {"complained", counts.complained},
          {"rescued", counts.rescued}};
}

std::string proposal_text(const RuleJudgement& judged) {
  const RuleFigures& figures = judged.figures;
  return fmt::format(
      "alone it would have marked {} messages, of which people reported {} as spam and rescued {}",
      figures.messages, figures.reported, figures.rescued);
}

}  // namespace shingled::milter::view
