#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "config/base/number_text.h"
#include "config/loader.h"

namespace shingled::config {

namespace {

/// The score of the lowest action that stops a message, or else of the mark; nullopt = none.
std::optional<std::pair<std::string, double>> spam_threshold(const ActionOptions& actions) {
  std::optional<std::pair<std::string, double>> lowest;
  for (const auto& [name, score] : {std::pair{"discard", actions.discard},
                                    {"reject", actions.reject},
                                    {"quarantine", actions.quarantine},
                                    {"tempfail", actions.tempfail}}) {
    if (score && (!lowest || *score < lowest->second)) lowest = {name, *score};
  }
  if (!lowest && actions.add_header) lowest = {"add_header", *actions.add_header};
  return lowest;
}

/// Without the digits that binary fractions leave.
double times(double score, double factor) {
  constexpr double kSteps = 1e6;
  return std::round(score * factor * kSteps) / kSteps;
}

}  // namespace

void fit_scales(Settings& settings, Diagnostics& diagnostics) {
  // A threshold that was moved somewhat is no other scale.
  constexpr double kSomewhat = 1.5;
  if (!settings.milter.enabled) return;
  const auto threshold = spam_threshold(settings.milter.actions);
  if (!threshold) return;
  const double score = threshold->second;
  std::set<std::string> fitted;  // a file may be named twice
  for (const PolicyScale& scale : settings.policy.scales) {
    if (score <= scale.score * kSomewhat && scale.score <= score * kSomewhat) continue;
    if (!fitted.insert(scale.place.file).second) continue;
    const double factor = score / scale.score;
    for (PolicyRuleOptions& rule : settings.policy.rules)
      if (rule.score && rule.score_place.file == scale.place.file)
        rule.score = times(*rule.score, factor);
    Diagnostics there(scale.place.file);
    there.warn({Position::Origin::kFile, scale.place.line, scale.place.column}, "scale",
               "is " + shortest_text(scale.score) + ", but milter.actions." + threshold->first +
                   " is " + shortest_text(score) +
                   ", so the scores of this file are multiplied by " +
                   shortest_text(times(1, factor)));
    diagnostics.include(there);
  }
}

}  // namespace shingled::config
