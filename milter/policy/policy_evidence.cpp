#include "milter/policy/policy_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "milter/policy/counter_feature.h"
#include "milter/policy/evaluate.h"
#include "milter/policy/explain.h"

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

std::uint64_t RuleHits::count(const std::string& rule) const {
  auto hits = hits_.lock();
  std::uint64_t out = 0;
  for (const bool shadow : {false, true}) {
    const auto known = hits->find({rule, shadow});
    if (known != hits->end()) out += known->second->read();
  }
  return out;
}

void RuleHits::report(MetricReport& report) const {
  auto hits = hits_.lock();
  for (const auto& [key, count] : *hits)
    report.counter({"shingled_policy_rule_hits", "Messages that met the condition of a rule."},
                   count->read(), {{"rule", key.first}, {"shadow", key.second ? "yes" : "no"}});
}

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

/// Which windows of a need were asked for.
struct AskedWindows {
  bool any = false;  ///< the type was asked for
  std::vector<std::size_t>
      places;  ///< of its windows among the asked ones; empty if one is missing
};

AskedWindows asked_windows(const CounterNeed& need, const CounterNeeds& all) {
  const CounterNeed* const asked = features::find_need(all, need.type);
  if (asked == nullptr) return {};
  AskedWindows out{true, features::places_of(need.windows, asked->windows)};
  if (std::ranges::find(out.places, asked->windows.size()) != out.places.end()) out.places.clear();
  return out;
}

std::vector<const names::NameList*> lists_of(const CompiledRules& rules,
                                             const names::Lists& lists) {
  std::vector<const names::NameList*> out;
  for (const names::ListFile& file : rules.files) out.push_back(lists.find(file));
  return out;
}

/// A message as the rules see it, and what they say of it.
class Judged {
 public:
  Judged(const CompiledRules& rules, const rules::Facts& facts, const names::Lists& lists)
      : features_(facts.features),
        names_{facts.names, lists_of(rules, lists)},
        counters_(readings_of(rules.needs, facts.counters)),
        symbols_(truths_of(rules.symbols, facts)),
        evaluation(rules) {
    evaluate(rules, this->facts(), evaluation);
  }
  [[nodiscard]] MessageFacts facts() const { return {features_, counters_, symbols_, &names_}; }

 private:
  const FeatureValues& features_;
  const NameFacts names_;
  const CounterReadings counters_;
  const std::vector<Truth> symbols_;

 public:
  Evaluation evaluation;
};

/// All texts about a rule that fires.
rules::Explanation texts_about(const Rule& rule, const std::string& line, const std::string& why,
                               const std::string& header, const std::string& log) {
  rules::Explanation explanation;
  explanation.log = log;
  for (const std::string& text : {rule.reason, rule.remedy})
    if (!text.empty()) explanation.log += "; " + text;
  explanation.header = header;
  explanation.arithmetic = why;
  if (rule.shadow) explanation.arithmetic = "in shadow, does not count: " + why;
  explanation.details = {{"symbol", rule.name},
                         {"score", rule.score.value_or(0)},
                         {"action", std::string(action_word(rule))},
                         {"shadow", rule.shadow},
                         {"why", why},
                         {"reason", rule.reason},
                         {"remedy", rule.remedy}};
  explanation.rows = {{"rule", line}};
  if (!rule.reason.empty()) explanation.rows.emplace_back("reason", rule.reason);
  if (!rule.remedy.empty()) explanation.rows.emplace_back("remedy", rule.remedy);
  return explanation;
}

}  // namespace

CounterReadings readings_of(const CounterNeeds& needs, const rules::CounterFacts& facts) {
  CounterReadings out(needs.size());
  if (facts.needs == nullptr) return out;
  std::vector<std::optional<AskedWindows>> asked(needs.size());  // of those that have pieces
  for (const rules::PieceCounts& counts : facts.pieces) {
    const auto need = std::ranges::find(needs, counts.piece.type, &CounterNeed::type);
    const auto n = static_cast<std::size_t>(need - needs.begin());
    if (need == needs.end()) continue;
    if (!asked[n]) asked[n] = asked_windows(*need, *facts.needs);
    if (!asked[n]->any) continue;
    PieceReading reading{text_of(counts.piece), {}};
    reading.said_known = counts.said_known;
    if (counts.known) {
      reading.sums.reserve(asked[n]->places.size());
      for (const std::size_t place : asked[n]->places) {
        reading.sums.push_back(counts.sums[place]);
        if (!counts.lost.empty()) reading.lost.push_back(counts.lost[place]);
      }
    }
    out.add(n, std::move(reading));
  }
  // Which pieces were left out is not known; of a type with one piece none can be.
  for (std::size_t n = 0; facts.left_out && n < needs.size(); ++n)
    if (has_several(needs[n].type) && features::find_need(*facts.needs, needs[n].type) != nullptr)
      out.add(n, {});
  return out;
}

Policy::Policy(CompiledRules rules, std::vector<std::shared_ptr<EventCount>> hits)
    : rules_(std::make_shared<const CompiledRules>(std::move(rules))),
      on_counters_(rules_on_counters(*rules_)),
      hits_(std::move(hits)) {}

std::function<rules::Explanation()> Policy::explanation_of(std::size_t rule,
                                                           const MessageFacts& facts,
                                                           const Evaluation& evaluation) const {
  std::string why = explain_condition(*rules_, facts, evaluation, rule);
  std::string line = explain_rule(rules_->rules[rule], why);
  // Only pieces of mail are not for all readers.
  std::string header = on_counters_[rule] || rules_->asks_names()
                           ? explain_rule(*rules_, facts, evaluation, rule, Reader::kRecipients)
                           : line;
  std::string log =
      on_counters_[rule] ? explain_rule(*rules_, facts, evaluation, rule, Reader::kLog) : line;
  return [rules = rules_, rule, line = std::move(line), why = std::move(why),
          header = std::move(header),
          log = std::move(log)] { return texts_about(rules->rules[rule], line, why, header, log); };
}

std::array<rules::Findings, 2> Policy::judge(const rules::Facts& facts, const names::Lists& lists,
                                             Hits hits) const {
  std::array<rules::Findings, 2> out;
  out[0].source = &kPolicySource;
  out[1].source = &kCounterPolicySource;
  const Judged judged(*rules_, facts, lists);
  for (std::size_t r = 0; r < rules_->rules.size(); ++r) {
    const Rule& rule = rules_->rules[r];
    if (!rule.enabled) continue;
    rules::Findings& findings = out[on_counters_[r] ? 1 : 0];
    findings.asked = findings.asked.value_or(0) + 1;
    if (!judged.evaluation.fires(r)) continue;
    if (hits == Hits::kCounted && r < hits_.size() && hits_[r] != nullptr) hits_[r]->add();
    rules::Evidence& item = findings.evidence.emplace_back();
    item.symbol = rule.name;
    item.score = rule.score.value_or(0);
    item.action = rule.action.value_or(rules::Action::kPass);
    item.at_most = rule.at_most;
    if (rule.shadow) item.effect = rules::Evidence::Effect::kTried;
    item.explanation = explanation_of(r, judged.facts(), judged.evaluation);
  }
  return out;
}

std::vector<std::string> Policy::near_misses(const rules::Facts& facts,
                                             const names::Lists& lists) const {
  const Judged judged(*rules_, facts, lists);
  std::vector<std::string> out;
  for (NearMiss& miss : policy::near_misses(*rules_, judged.facts(), judged.evaluation))
    out.push_back(std::move(miss.text));
  return out;
}

}  // namespace shingled::milter::policy
