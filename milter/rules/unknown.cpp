#include "milter/rules/unknown.h"

#include <algorithm>
#include <string_view>

#include "milter/rules/verdict.h"

namespace shingled::milter::rules {

namespace {

constexpr std::string_view kLimitReached =
    "limit reached";  // the end of each defect that reports a bound

std::string count_of(std::size_t some, std::size_t all) {
  return std::to_string(some) + " of " + std::to_string(all) + " look-ups ";
}

std::string describe_failures(const Facts& facts) {
  const auto first = std::find_if(facts.lookups.begin(), facts.lookups.end(),
                                  [](const Lookup& lookup) { return lookup.failed(); });
  if (first == facts.lookups.end()) return {};
  return count_of(facts.failed(), facts.lookups.size()) + "failed, first " +
         std::string(to_string(first->outcome)) + " of rule " + first->rule;
}

std::string describe_bounds(const Facts& facts) {
  if (!facts.incomplete) return {};
  std::string bounds;
  for (const std::string& defect : facts.defects) {
    if (!std::string_view(defect).ends_with(kLimitReached)) continue;
    bounds += (bounds.empty() ? ": " : ", ") + defect;
  }
  return "analysis incomplete" + bounds;
}

}  // namespace

std::vector<Gap> gaps_of(const Facts& facts) {
  const std::string unasked =
      facts.unasked == 0
          ? std::string()
          : count_of(facts.unasked, facts.lookups.size() + facts.unasked) + "not asked";
  std::vector<Gap> gaps;
  for (const std::string& text : {describe_failures(facts), unasked, describe_bounds(facts)}) {
    if (!text.empty()) gaps.push_back({text});
  }
  return gaps;
}

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

}  // namespace shingled::milter::rules
