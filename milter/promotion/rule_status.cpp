#include "milter/promotion/rule_status.h"

#include <fmt/format.h>

#include "config/promotions/promoted_rules.h"
#include "milter/promotion/decide.h"
#include "milter/replay/history_span.h"
#include "milter/replay/row_replay.h"

namespace shingled::milter::promotion {

namespace {

using config::Judgements;
using config::RuleJudgement;
using config::RuleStage;

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
    return "its figures turned; not again before " + time_text(judged.since + kRest);
  std::string out = no_judgement(rule, judged, all.messages);
  if (!out.empty()) return out;
  if (judged.stage == RuleStage::kShadow) out = why_not(judged.figures, all.unreported);
  for (const auto& [window, count] : judged.lacking)
    out += fmt::format("{}{} without {}", out.empty() ? "" : "; ", count,
                       window == replay::kUsualWindow ? "what is usual" : "the window " + window);
  if (judged.figures.stopped > 0)
    out += fmt::format("{}{} would have been stopped that nobody reported", out.empty() ? "" : "; ",
                       judged.figures.stopped);
  return out;
}

std::string note_of(const config::RuleDecision& decision) {
  return fmt::format("{} since {} as decided{}", decision.live ? "live" : "in shadow",
                     time_text(decision.at), decision.by.empty() ? "" : " by " + decision.by);
}

RuleStatus status_of(const PolicyRuleOptions& options, const policy::Rule& rule,
                     const Judgements& all, std::uint64_t identity,
                     const config::RuleDecision* decision) {
  RuleStatus out{.name = options.name};
  if (!options.enabled) {
    out.state = "off";
  } else if (decision != nullptr && config::is_in_shadow(options) != decision->live) {
    out.state = decision->live ? "live" : "kept";
    out.note = note_of(*decision);
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

}  // namespace

std::vector<RuleStatus> statuses_of(const Settings& settings, const policy::CompiledRules& rules,
                                    const Judgements& all, const config::RuleDecisions& decisions) {
  const auto identities = config::identities_of(settings.policy.rules);
  std::vector<RuleStatus> out;
  for (std::size_t i = 0; i < settings.policy.rules.size(); ++i) {
    const PolicyRuleOptions& rule = settings.policy.rules[i];
    out.push_back(status_of(rule, rules.rules[i], all, identities[i],
                            config::find_decision(decisions, rule.name)));
  }
  return out;
}

std::string what_was_judged(const Settings& settings, const Judgements& all) {
  if (settings.policy.promote == PolicyPromote::kOff)
    return "policy.promote is off: rules in shadow are not judged.";
  if (!settings.history.enabled)
    return "history.enabled is no: there is no history that could say anything of rules in shadow.";
  if (all.judged == WallTime())
    return "Not judged yet: the daemon does that shortly after its start, then once a day.";
  if (all.messages == 0)
    return fmt::format("Judged {} on an empty history.", time_text(all.judged));
  std::string out =
      fmt::format("Judged {} on {} since {}, {} of them reported.", time_text(all.judged),
                  std::to_string(all.messages) + (all.messages == 1 ? " message" : " messages"),
                  time_text(all.first), all.messages - all.unreported);
  if (all.messages < kMessagesMin) out += fmt::format(" A rule needs at least {}.", kMessagesMin);
  if (all.broken > 0) out += fmt::format(" {} cannot be read.", all.broken);
  return out;
}

}  // namespace shingled::milter::promotion
