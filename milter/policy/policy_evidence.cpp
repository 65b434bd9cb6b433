#include "milter/policy/policy_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "milter/policy/counter_feature.h"
#include "milter/policy/evaluate.h"
#include "milter/policy/explain.h"

namespace shingled::milter::policy {

namespace {

using Node = CompiledRules::Node;

bool needs_counters(const CompiledRules& rules, const Node& node, const std::vector<bool>& known) {
  switch (node.kind) {
    case Node::Kind::kAtom:
      return rules.atoms[node.first].kind >= AtomCode::Kind::kCount;
    case Node::Kind::kRule:
      return known[node.first];
    case Node::Kind::kNot:
      return needs_counters(rules, rules.nodes[node.first], known);
    case Node::Kind::kAnd:
    case Node::Kind::kOr:
      for (std::uint32_t i = 0; i < node.count; ++i)
        if (needs_counters(rules, rules.nodes[node.first + i], known)) return true;
      return false;
    case Node::Kind::kSymbol:
    case Node::Kind::kUnknown:
      break;
  }
  return false;
}

/// By rule.
std::vector<bool> rules_on_counters(const CompiledRules& rules) {
  std::vector<bool> out(rules.rules.size());
  for (const std::uint32_t rule : rules.order)
    out[rule] = needs_counters(rules, rules.roots[rule], out);
  return out;
}

bool is_policy(const rules::Findings& findings) {
  return findings.source == &kPolicySource || findings.source == &kCounterPolicySource;
}

/// Whether other sources found the symbols. What was not found is unknown if something could not be
/// looked up.
std::vector<Truth> truths_of(const std::vector<std::string>& symbols, const rules::Facts& facts) {
  std::vector<Truth> out(symbols.size(), Truth::kFalse);
  const bool gaps = std::ranges::any_of(facts.findings, [](const rules::Findings& findings) {
    return !is_policy(findings) && !findings.gaps.empty();
  });
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const bool found = std::ranges::any_of(facts.findings, [&](const rules::Findings& findings) {
      return !is_policy(findings) &&
             std::ranges::any_of(findings.evidence, [&](const rules::Evidence& item) {
               return item.effect == rules::Evidence::Effect::kCounts && item.symbol == symbols[i];
             });
    });
    if (found) {
      out[i] = Truth::kTrue;
    } else if (gaps) {
      out[i] = Truth::kUnknown;
    }
  }
  return out;
}

/// A message as the rules see it, and what they say of it.
class Judged {
 public:
  Judged(const CompiledRules& rules, const rules::Facts& facts)
      : features_(facts.features),
        counters_(readings_of(rules.needs, facts.counters)),
        symbols_(truths_of(rules.symbols, facts)),
        evaluation(rules) {
    evaluate(rules, this->facts(), evaluation);
  }
  [[nodiscard]] MessageFacts facts() const { return {features_, counters_, symbols_}; }

 private:
  const FeatureValues& features_;
  const CounterReadings counters_;
  const std::vector<Truth> symbols_;

 public:
  Evaluation evaluation;
};

/// All texts about a rule that fires.
rules::Account account_of(const Rule& rule, const std::string& line, const std::string& why,
                          const std::string& header) {
  rules::Account account;
  account.log = line;
  for (const std::string& text : {rule.reason, rule.remedy})
    if (!text.empty()) account.log += "; " + text;
  account.header = header;
  account.arithmetic = why;
  if (rule.shadow) account.arithmetic = "in shadow, does not count: " + why;
  account.details = {{"symbol", rule.name},
                     {"score", rule.score.value_or(0)},
                     {"action", std::string(rule.action ? rules::to_string(*rule.action) : "")},
                     {"shadow", rule.shadow},
                     {"why", why},
                     {"reason", rule.reason},
                     {"remedy", rule.remedy}};
  account.rows = {{"rule", line}};
  if (!rule.reason.empty()) account.rows.emplace_back("reason", rule.reason);
  if (!rule.remedy.empty()) account.rows.emplace_back("remedy", rule.remedy);
  return account;
}

}  // namespace

CounterReadings readings_of(const CounterNeeds& needs, const rules::CounterFacts& facts) {
  CounterReadings out(needs.size());
  if (facts.needs == nullptr) return out;
  for (std::size_t n = 0; n < needs.size(); ++n) {
    const CounterNeed& need = needs[n];
    const CounterNeed* const asked = features::find_need(*facts.needs, need.type);
    if (asked == nullptr) continue;
    std::vector<std::size_t> places;
    for (const Window& window : need.windows) {
      const auto at = std::ranges::find(asked->windows, window);
      if (at != asked->windows.end())
        places.push_back(static_cast<std::size_t>(at - asked->windows.begin()));
    }
    const bool all = places.size() == need.windows.size();
    for (const rules::PieceCounts& counts : facts.pieces) {
      if (counts.piece.type != need.type) continue;
      PieceReading reading{text_of(counts.piece), {}};
      if (counts.known && all) {
        reading.sums.reserve(places.size());
        for (const std::size_t place : places) reading.sums.push_back(counts.sums[place]);
      }
      out.add(n, std::move(reading));
    }
    // Which pieces were left out is not known; of a type with one piece it is none.
    if (facts.left_out && has_several(need.type)) out.add(n, {});
  }
  return out;
}

Policy::Policy(CompiledRules rules, std::vector<std::shared_ptr<EventCount>> hits)
    : rules_(std::move(rules)), on_counters_(rules_on_counters(rules_)), hits_(std::move(hits)) {}

std::array<rules::Findings, 2> Policy::judge(const rules::Facts& facts) const {
  std::array<rules::Findings, 2> out;
  out[0].source = &kPolicySource;
  out[1].source = &kCounterPolicySource;
  const Judged judged(rules_, facts);
  for (std::size_t r = 0; r < rules_.rules.size(); ++r) {
    const Rule& rule = rules_.rules[r];
    if (!rule.enabled) continue;
    rules::Findings& findings = out[on_counters_[r] ? 1 : 0];
    findings.asked = findings.asked.value_or(0) + 1;
    if (!judged.evaluation.fires(r)) continue;
    if (r < hits_.size() && hits_[r] != nullptr) hits_[r]->add();
    rules::Evidence& item = findings.evidence.emplace_back();
    item.symbol = rule.name;
    item.score = rule.score.value_or(0);
    item.action = rule.action.value_or(rules::Action::kPass);
    if (rule.shadow) item.effect = rules::Evidence::Effect::kTried;
    const MessageFacts seen = judged.facts();
    item.account = [rule, line = explain_rule(rules_, seen, judged.evaluation, r),
                    why = explain_condition(rules_, seen, judged.evaluation, r),
                    header =
                        explain_rule(rules_, seen, judged.evaluation, r, Reader::kRecipients)] {
      return account_of(rule, line, why, header);
    };
  }
  return out;
}

std::vector<std::string> Policy::near_misses(const rules::Facts& facts) const {
  const Judged judged(rules_, facts);
  std::vector<std::string> out;
  for (NearMiss& miss : policy::near_misses(rules_, judged.facts(), judged.evaluation))
    out.push_back(std::move(miss.text));
  return out;
}

}  // namespace shingled::milter::policy
