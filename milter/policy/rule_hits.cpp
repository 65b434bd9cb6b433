#include "milter/policy/rule_hits.h"

namespace shingled::milter::policy {

std::vector<std::shared_ptr<EventCount>> RuleHits::counts_for(const CompiledRules& rules) const {
  std::vector<std::shared_ptr<EventCount>> out;
  auto hits = hits_.lock();
  for (const Rule& rule : rules.rules) {
    const auto known = hits->find({rule.name, rule.shadow});
    out.push_back(known != hits->end() ? known->second : std::make_shared<EventCount>());
  }
  return out;
}

void RuleHits::use(const CompiledRules& rules,
                   std::span<const std::shared_ptr<EventCount>> counts) {
  std::map<Key, std::shared_ptr<EventCount>> wanted;
  for (std::size_t i = 0; i < rules.rules.size() && i < counts.size(); ++i) {
    const Rule& rule = rules.rules[i];
    if (rule.enabled) wanted.emplace(Key{rule.name, rule.shadow}, counts[i]);
  }
  *hits_.lock() = std::move(wanted);
}

void RuleHits::report(MetricReport& report) const {
  auto hits = hits_.lock();
  for (const auto& [key, count] : *hits)
    report.counter({"shingled_policy_rule_hits", "Messages that met the condition of a rule."},
                   count->read(), {{"rule", key.first}, {"shadow", key.second ? "yes" : "no"}});
}

}  // namespace shingled::milter::policy
