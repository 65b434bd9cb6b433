#include "milter/reports/list_steps.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "milter/rules/score.h"

namespace shingled::milter::reports {

namespace {

/// The certainty of a match of 29 of 32 slots, which may reject by itself (rules/hit_strength.h).
constexpr double kVeryNear = (29.0 / 32 - 0.5) * 2;
/// Half an int is more than any saturation needs.
constexpr std::int32_t kWeightHighest = std::numeric_limits<std::int32_t>::max() / 2;

/// The least weight whose score is at least `score`; nullopt if none is.
std::optional<std::int32_t> least_weight(const FlagOptions& list, double score) {
  std::int32_t enough = kWeightHighest;
  if (rules::list_score(list, enough) < score) return std::nullopt;
  std::int32_t too_little = 0;
  while (enough - too_little > 1) {
    const std::int32_t middle = too_little + (enough - too_little) / 2;
    (rules::list_score(list, middle) >= score ? enough : too_little) = middle;
  }
  return enough;
}

ListSteps steps_of(const FlagOptions& list, const ActionOptions& actions) {
  ListSteps steps;
  steps.header = actions.add_header ? least_weight(list, *actions.add_header).value_or(1) : 1;
  steps.reject = actions.reject ? least_weight(list, *actions.reject) : std::nullopt;
  if (!steps.reject) return steps;
  steps.rejects = least_weight(list, *actions.reject / kVeryNear).value_or(*steps.reject);
  // What else is in the message may add a little to the score.
  const auto too_much = least_weight(list, *actions.reject / rules::kContextMost);
  steps.marks = std::max(too_much.value_or(1) - 1, std::min(steps.header, *steps.reject - 1));
  steps.marks = std::max(steps.marks, 1);
  return steps;
}

}  // namespace

std::map<std::uint32_t, ListSteps> list_steps(const Settings& settings) {
  std::map<std::uint32_t, ListSteps> out;
  for (const RuleOptions& rule : settings.rules) {
    if (rule.remote.is_remote() || rule.read_only) continue;
    const auto flag = rule.flags.number(settings.reports.spam.flag);
    const FlagOptions* list = flag ? rule.flags.find(*flag) : nullptr;
    if (list != nullptr) out.try_emplace(*flag, steps_of(*list, settings.milter.actions));
  }
  return out;
}

}  // namespace shingled::milter::reports
