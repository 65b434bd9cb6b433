#include "milter/policy/rule_hits.h"

namespace shingled::milter::policy {

std::vector<std::shared_ptr<EventCount>> RuleHits::use(const CompiledRules& rules) {
  std::vector<std::shared_ptr<EventCount>> out;
  std::map<Key, std::shared_ptr<EventCount>> kept;
  auto hits = hits_.lock();
  for (const Rule& rule : rules.rules) {
    const Key key{rule.name, rule.shadow};
    const auto known = hits->find(key);
    out.push_back(known != hits->end() ? known->second : std::make_shared<EventCount>());
    if (rule.enabled) kept.emplace(key, out.back());
  }
  *hits = std::move(kept);
  return out;
}

void RuleHits::report(MetricReport& report) const {
  auto hits = hits_.lock();
  for (const auto& [key, count] : *hits)
    report.counter({"shingled_policy_rule_hits", "Messages that met the condition of a rule."},
                   count->read(), {{"rule", key.first}, {"shadow", key.second ? "yes" : "no"}});
}

}  // namespace shingled::milter::policy
