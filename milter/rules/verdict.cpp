#include "milter/rules/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shingled::milter::rules {

namespace {

struct Threshold {
  Action action;
  std::optional<double> score;
};

/// The strongest is the first.
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

/// The amount by which the sum of the symbols of one source exceeds `score_max`.
double excess_of(const Findings& findings) {
  if (!findings.score_max) return 0;
  std::vector<Symbol> symbols;
  add_symbols(findings.evidence, symbols);
  double sum = 0;
  for (const Symbol& symbol : symbols) sum += symbol.score;
  return std::max(sum - *findings.score_max, 0.0);
}

/// The score with the findings that `counts` says, their symbols, and whether some of them are
/// held.
struct Sum {
  std::vector<Symbol> symbols;
  double score = 0;
  bool held = false;
};

template <typename Counts>
Sum sum_of(const Facts& facts, Counts&& counts) {
  Sum sum;
  for (const Findings& findings : facts.findings) {
    if (counts(findings)) add_symbols(findings.evidence, sum.symbols);
  }
  for (const Symbol& symbol : sum.symbols) sum.score += symbol.score;
  for (const Findings& findings : facts.findings) {
    if (!counts(findings)) continue;
    const double excess = excess_of(findings);
    sum.score -= excess;
    sum.held = sum.held || findings.held || excess > 0;
  }
  return sum;
}

/// The strongest action that a piece of evidence asks for; null if none does.
const Evidence* strongest_request(const Facts& facts) {
  const Evidence* strongest = nullptr;
  for (const Findings& findings : facts.findings) {
    for (const Evidence& item : findings.evidence) {
      if (item.effect != Evidence::Effect::kCounts || item.action == Action::kPass) continue;
      if (strongest == nullptr || item.action > strongest->action) strongest = &item;
    }
  }
  return strongest;
}

/// The evidence that allows the least; null if none bounds the action.
const Evidence* lowest_bound(const Facts& facts) {
  const Evidence* lowest = nullptr;
  for (const Findings& findings : facts.findings) {
    for (const Evidence& item : findings.evidence) {
      if (item.effect != Evidence::Effect::kCounts || !item.at_most) continue;
      if (lowest == nullptr || *item.at_most < *lowest->at_most) lowest = &item;
    }
  }
  return lowest;
}

/// The verdict without what is above a bound.
Verdict bounded(Verdict verdict, const Evidence& bound) {
  if (*bound.at_most == Action::kPass) {
    verdict.accepted = bound.symbol;
    verdict.failed = false;
  } else if (verdict.action <= *bound.at_most) {
    return verdict;
  }
  const std::string without(to_string(verdict.action));
  const bool changed = verdict.action > *bound.at_most;
  verdict.action = std::min(verdict.action, *bound.at_most);
  verdict.reason = bound.explanation().log;
  if (changed) verdict.reason += fmt::format(" (instead of {})", without);
  return verdict;
}

}  // namespace

Action choose_action(double score, const ActionOptions& actions) {
  for (const auto& [action, threshold] : thresholds(actions)) {
    if (threshold && score >= *threshold) return action;
  }
  return Action::kPass;
}

double score_of(const Facts& facts) {
  return sum_of(facts, [](const Findings&) { return true; }).score;
}

double score_without_counters(const Facts& facts) {
  return sum_of(facts,
                [](const Findings& findings) {
                  return findings.source == nullptr || !findings.source->from_counters;
                })
      .score;
}

namespace {

/// The gaps of all sources that matter, joined with "; "; empty = nothing of importance is unknown.
/// A gap does not matter if it could not have raised this score above the action of a header.
std::string describe_unknown(std::span<const Findings> findings, double score,
                             const ActionOptions& actions) {
  std::string text;
  for (const Findings& of_source : findings) {
    for (const Gap& gap : of_source.gaps) {
      const bool matters =
          !gap.score_max || choose_action(score + *gap.score_max, actions) > Action::kAddHeader;
      if (matters) text += (text.empty() ? "" : "; ") + gap.text;
    }
  }
  return text;
}

Verdict judge_unbounded(const Facts& facts, const ActionOptions& actions,
                        FailurePolicy on_failure) {
  Verdict verdict;
  Sum sum = sum_of(facts, [](const Findings&) { return true; });
  verdict.symbols = std::move(sum.symbols);
  verdict.score = sum.score;
  verdict.required = actions.add_header;
  verdict.action = choose_action(verdict.score, actions);
  verdict.reason = reason_for(verdict.action, verdict.score, actions);
  const Evidence* const request = strongest_request(facts);
  if (request != nullptr && request->action > verdict.action) {
    verdict.action = request->action;
    verdict.reason = request->explanation().log;
  }
  if (sum.held) verdict.reason += ", held: the hits do not identify the message";

  const bool enough = verdict.action > Action::kAddHeader;
  if (enough) return verdict;
  std::string unknown = describe_unknown(facts.findings, verdict.score, actions);
  if (!unknown.empty()) {
    verdict.failed = true;
    verdict.reason = std::move(unknown);
    if (on_failure != FailurePolicy::kAccept)
      verdict.action = std::max(verdict.action, action_of(on_failure));
  }
  return verdict;
}

}  // namespace

Verdict judge(const Facts& facts, const ActionOptions& actions, FailurePolicy on_failure) {
  Verdict verdict = judge_unbounded(facts, actions, on_failure);
  const Evidence* const bound = lowest_bound(facts);
  return bound == nullptr ? verdict : bounded(std::move(verdict), *bound);
}

Verdict verdict_on_failure(FailurePolicy policy, std::string reason) {
  Verdict verdict;
  verdict.action = action_of(policy);
  verdict.reason = std::move(reason);
  verdict.failed = true;
  return verdict;
}

Verdict verdict_on_limit(std::string reason) {
  Verdict verdict;
  verdict.action = Action::kTempfail;
  verdict.reason = std::move(reason);
  return verdict;
}

}  // namespace shingled::milter::rules
