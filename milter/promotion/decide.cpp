#include "milter/promotion/decide.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace shingled::milter::promotion {

bool is_due(WallTime last, WallTime now, std::chrono::seconds of_day) {
  if (last > now) return true;
  const auto midnight = std::chrono::floor<std::chrono::days>(last);
  WallTime next = WallTime(midnight) + of_day;
  if (next <= last) next += std::chrono::days(1);
  return now >= next;
}

namespace {

using config::Judgements;
using config::RuleFigures;
using config::RuleJudgement;
using config::RuleStage;

/// Whether `part` is more than one in `one_in` of `whole`. Numbers of messages are far below 2^54.
bool exceeds(std::uint64_t part, std::uint64_t whole, std::uint64_t one_in) {
  return part * one_in > whole;
}

/// A proposal that nobody has answered yet stays while half of what it needs is there.
bool still_stands(const RuleFigures& figures, std::uint64_t unreported) {
  return figures.messages * 2 >= kMessagesMin && figures.reported * 2 >= kReportedMin &&
         !has_turned(figures, unreported);
}

/// Where a rule stands by its figures, without what is special about going out of shadow.
RuleStage stage_of(const RuleJudgement& before, const RuleJudgement& rule, std::uint64_t unreported,
                   PolicyPromote promote, WallTime now) {
  if (before.stage == RuleStage::kPromoted && promote == PolicyPromote::kAuto)
    return has_turned(rule.figures, unreported) ? RuleStage::kReturned : RuleStage::kPromoted;
  if (before.stage == RuleStage::kReturned && now - before.since < kRest)
    return RuleStage::kReturned;
  const bool stands = is_good(rule.figures, unreported) || (before.stage == RuleStage::kProposed &&
                                                            still_stands(rule.figures, unreported));
  return stands ? RuleStage::kProposed : RuleStage::kShadow;
}

/// The proposal that goes out of shadow; null if none does.
RuleJudgement* best_of(Judgements& judgements) {
  const auto rank = [](const RuleJudgement& rule) {
    return std::tuple(rule.figures.reported, rule.figures.messages);
  };
  RuleJudgement* best = nullptr;
  for (RuleJudgement& rule : judgements.rules) {
    if (rule.stage != RuleStage::kProposed || rule.figures.stopped > 0 ||
        !is_good(rule.figures, judgements.unreported))
      continue;
    if (best == nullptr || rank(rule) > rank(*best)) best = &rule;
  }
  return best;
}

}  // namespace

bool is_good(const RuleFigures& figures, std::uint64_t unreported) {
  return why_not(figures, unreported).empty();
}

bool has_turned(const RuleFigures& figures, std::uint64_t unreported) {
  return figures.rescued >= kRescuedTurned || figures.correspondents >= kCorrespondentsTurned ||
         figures.stopped > 0 || exceeds(figures.unreported, unreported, kUnreportedTurnedOneIn);
}

double unreported_share(const RuleFigures& figures, std::uint64_t unreported) {
  return unreported == 0
             ? 0
             : 100 * static_cast<double>(figures.unreported) / static_cast<double>(unreported);
}

std::string why_not(const RuleFigures& figures, std::uint64_t unreported) {
  if (figures.rescued > 0) return fmt::format("{} that people rescued", figures.rescued);
  if (figures.correspondents > 0)
    return fmt::format("{} between people who write to each other", figures.correspondents);
  if (figures.messages < kMessagesMin)
    return fmt::format("{} of {} messages that it alone would have marked", figures.messages,
                       kMessagesMin);
  if (figures.reported < kReportedMin)
    return fmt::format("{} of {} reported messages", figures.reported, kReportedMin);
  if (exceeds(figures.unreported, unreported, kUnreportedOneIn))
    return fmt::format("{:.2f} % of the mail that nobody reported, at most {} %",
                       unreported_share(figures, unreported), 100.0 / kUnreportedOneIn);
  return {};
}

Decision decide(const Judgements& before, Judgements fresh, PolicyPromote promote, WallTime now) {
  std::map<std::string_view, const RuleJudgement*> known;
  for (const RuleJudgement& rule : before.rules) known.emplace(rule.name, &rule);
  std::map<std::string_view, RuleStage> from;
  for (RuleJudgement& rule : fresh.rules) {
    RuleJudgement last{.name = rule.name, .identity = rule.identity, .since = now};
    const auto found = known.find(rule.name);
    if (found != known.end() && found->second->identity == rule.identity) last = *found->second;
    // The clock was ahead when that was written.
    if (last.since > now) last.since = now;
    from.emplace(rule.name, last.stage);
    rule.stage = stage_of(last, rule, fresh.unreported, promote, now);
    rule.since = rule.stage == last.stage ? last.since : now;
  }
  if (RuleJudgement* const best = promote == PolicyPromote::kAuto ? best_of(fresh) : nullptr) {
    best->stage = RuleStage::kPromoted;
    best->since = now;
  }
  Decision out;
  fresh.judged = now;
  for (const RuleJudgement& rule : fresh.rules)
    if (const RuleStage last = from.at(rule.name); last != rule.stage)
      out.changes.push_back({last, rule});
  out.judgements = std::move(fresh);
  return out;
}

std::string accepting(const PolicyOptions& policy, std::string_view rule) {
  std::string out = "policy.live: [";
  for (const std::string& name : policy.live) out += name + ", ";
  return out.append(rule) + "]";
}

std::string why_returned(const config::RuleFigures& figures, std::uint64_t unreported) {
  if (figures.stopped > 0) return fmt::format("{} stopped that nobody reported", figures.stopped);
  const bool turned = has_turned(figures, unreported);
  if (turned && figures.rescued < kRescuedTurned && figures.correspondents < kCorrespondentsTurned)
    return fmt::format("{:.2f} % of the mail that nobody reported",
                       unreported_share(figures, unreported));
  return why_not(figures, unreported);
}

}  // namespace shingled::milter::promotion
