#include "config/promotions/promoted_rules.h"

#include <map>
#include <string_view>

#include "config/promotions/judgement_file.h"
#include "config/promotions/rule_identity.h"

namespace shingled::config {

void use_promotions(const Judgements& judgements, Settings& settings) {
  std::map<std::string_view, std::uint64_t> promoted;
  if (settings.policy.promote == PolicyPromote::kAuto && settings.history.enabled) {
    for (const RuleJudgement& rule : judgements.rules)
      if (rule.stage == RuleStage::kPromoted) promoted.emplace(rule.name, rule.identity);
  }
  std::vector<std::uint64_t> identities;
  if (!promoted.empty()) identities = identities_of(settings.policy.rules);
  for (std::size_t i = 0; i < settings.policy.rules.size(); ++i) {
    PolicyRuleOptions& rule = settings.policy.rules[i];
    const auto found = promoted.find(rule.name);
    rule.promoted = found != promoted.end() && found->second == identities[i] && rule.shadow &&
                    !rule.kept && rule.enabled;
  }
}

Status use_promotions(Settings& settings) {
  Judgements judgements;
  Status read;
  if (settings.policy.promote == PolicyPromote::kAuto && settings.history.enabled) {
    auto found = read_judgements(judgement_file(settings.history));
    if (found) {
      judgements = *std::move(found);
    } else {
      read = found.error();
    }
  }
  use_promotions(judgements, settings);
  return read;
}

}  // namespace shingled::config
