#include "milter/rules/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "milter/rules/standing.h"
#include "milter/rules/unknown.h"
#include "milter/rules/white.h"

namespace shingled::milter::rules {

namespace {

struct Threshold {
  Action action;
  std::optional<double> score;
};

/// Strongest first.
std::array<Threshold, 5> thresholds(const ActionOptions& actions) {
  return {{{Action::kDiscard, actions.discard},
           {Action::kReject, actions.reject},
           {Action::kQuarantine, actions.quarantine},
           {Action::kTempfail, actions.tempfail},
           {Action::kAddHeader, actions.add_header}}};
}

std::string reason_for(Action action, double score, const ActionOptions& actions) {
  for (const auto& [candidate, threshold] : thresholds(actions)) {
    if (candidate != action || !threshold) continue;
    return fmt::format("score {:.2f} reaches {} {:.2f}", score, to_string(action), *threshold);
  }
  return fmt::format("score {:.2f} reaches no threshold", score);
}

Action action_of(FailurePolicy policy) {
  switch (policy) {
    case FailurePolicy::kAccept:
      return Action::kPass;
    case FailurePolicy::kTempfail:
      return Action::kTempfail;
    case FailurePolicy::kReject:
      return Action::kReject;
  }
  return Action::kPass;
}

/// Symbols of several lists and rules together are no more than the strongest of their hits may do,
/// unless something else speaks against the message. Says whether anything was held.
bool hold_sum(Verdict& verdict, const HoldScores& hold) {
  bool held = std::any_of(verdict.hits.begin(), verdict.hits.end(),
                          [](const Hit& hit) { return hit.held > 0 && !hit.dropped; });
  double found = 0;
  for (const Symbol& symbol : sum_symbols(verdict.hits)) found += symbol.score;
  const Standing standing = strongest_standing(verdict.hits);
  if (standing == Standing::kFull) return held;
  const double most = standing == Standing::kMarks ? hold.marks : hold.noted;
  if (found <= most) return held;
  verdict.score -= found - most;
  return true;
}

}  // namespace

std::string_view to_string(Action action) {
  switch (action) {
    case Action::kPass:
      return "pass";
    case Action::kAddHeader:
      return "add_header";
    case Action::kTempfail:
      return "tempfail";
    case Action::kQuarantine:
      return "quarantine";
    case Action::kReject:
      return "reject";
    case Action::kDiscard:
      return "discard";
  }
  return "pass";
}

Action choose_action(double score, const ActionOptions& actions) {
  for (const auto& [action, threshold] : thresholds(actions)) {
    if (threshold && score >= *threshold) return action;
  }
  return Action::kPass;
}

Verdict judge(const Facts& facts, std::span<const RuleOptions> rules, const ActionOptions& actions,
              FailurePolicy on_failure, std::span<const SimilarList> lists) {
  Verdict verdict;
  const HoldScores hold = hold_scores(actions);
  verdict.hits = score_hits(facts, rules);
  hold_hits(verdict.hits, standings(facts, rules), hold);
  keep_white_to_its_part(verdict.hits, facts);
  verdict.symbols = sum_symbols(verdict.hits);
  verdict.similar = weigh_similar(facts.similar, lists);
  add_similar(verdict.similar, verdict.symbols);
  if (facts.limit) verdict.symbols.push_back({facts.limit->symbol, facts.limit->value, 1});
  for (const Symbol& symbol : verdict.symbols) verdict.score += symbol.score;
  const bool held = hold_sum(verdict, hold);
  verdict.required = actions.add_header;
  verdict.action = choose_action(verdict.score, actions);
  verdict.reason = reason_for(verdict.action, verdict.score, actions);
  if (held) verdict.reason += ", held: what was found is not the message";

  const bool enough = verdict.action > Action::kAddHeader;
  if (enough) return verdict;
  std::string unknown = describe_unknown(facts);
  const std::string files = describe_unknown_files(facts, verdict.score, actions, lists);
  if (!files.empty()) unknown += (unknown.empty() ? "" : "; ") + files;
  if (!unknown.empty()) {
    verdict.failed = true;
    verdict.reason = std::move(unknown);
    if (on_failure != FailurePolicy::kAccept) verdict.action = action_of(on_failure);
  }
  return verdict;
}

Verdict verdict_on_failure(FailurePolicy policy, std::string reason) {
  Verdict verdict;
  verdict.action = action_of(policy);
  verdict.reason = std::move(reason);
  verdict.failed = true;
  return verdict;
}

Verdict verdict_on_limit(const ratelimit::FullBucket& full) {
  Verdict verdict;
  verdict.action = Action::kTempfail;
  verdict.reason = ratelimit::describe(full);
  return verdict;
}

}  // namespace shingled::milter::rules
