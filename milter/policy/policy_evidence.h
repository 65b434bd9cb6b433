#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "config/metrics/instruments.h"
#include "config/metrics/metric_report.h"
#include "milter/names/list_files.h"
#include "milter/policy/atom_code.h"
#include "milter/policy/compile_rules.h"
#include "milter/policy/evaluate.h"
#include "milter/rules/evidence.h"
#include "milter/rules/facts.h"

namespace shingled::milter::policy {

/// How often each rule fired since the start. A rule that is gone is forgotten, so there are never
/// more numbers than rules.
/// Threads: any thread.
class RuleHits {
 public:
  /// The counts of rules, by rule; those of rules in force, as they are in or out of shadow now,
  /// continue. Changes nothing.
  [[nodiscard]] std::vector<std::shared_ptr<EventCount>> counts_for(
      const CompiledRules& rules) const;
  /// These rules are in force from now on. `counts`: from counts_for().
  void use(const CompiledRules& rules, std::span<const std::shared_ptr<EventCount>> counts);
  /// Of a rule, in and out of shadow.
  [[nodiscard]] std::uint64_t count(const std::string& rule) const;
  void report(MetricReport& report) const;

 private:
  using Key = std::pair<std::string, bool>;  ///< name, shadow
  mutable Guarded<std::map<Key, std::shared_ptr<EventCount>>> hits_;
};

/// Rules on the message itself and what other sources found.
inline constexpr rules::Source kPolicySource = {
    .key = "policy", .title = "policy", .unit = "rules", .separator = " | "};
/// Rules that need a counter, by themselves or through another rule.
inline constexpr rules::Source kCounterPolicySource = {.key = "counter_policy",
                                                       .title = "policy on counters",
                                                       .unit = "rules",
                                                       .separator = " | ",
                                                       .from_counters = true};

/// What the counters say of a message, by the needs of some rules. Windows that were not asked are
/// unknown.
CounterReadings readings_of(const CounterNeeds& needs, const rules::CounterFacts& facts);

/// The rules in force. An immutable snapshot; a reload makes a new one.
/// Does not: ask the counters or read lists, which the caller does beforehand; look at the text of
/// a message; choose the action, which is the matter of rules::judge.
/// Threads: any thread.
class Policy {
 public:
  /// `hits`: by rule, where its hits are counted; empty = they are not.
  explicit Policy(CompiledRules rules, std::vector<std::shared_ptr<EventCount>> hits = {});

  [[nodiscard]] const CompiledRules& rules() const { return *rules_; }
  [[nodiscard]] const CounterNeeds& needs() const { return rules_->needs; }
  /// Where its hits are counted.
  [[nodiscard]] std::span<const std::shared_ptr<EventCount>> hits() const { return hits_; }

  /// Whether hits are counted: not of a message that is only tried.
  enum class Hits : std::uint8_t { kCounted, kNotCounted };
  /// What the rules say of a message, from everything else that was found out about it: of
  /// kPolicySource and of kCounterPolicySource. Rules in shadow have no effect.
  /// `lists`: the content of the files that conditions name.
  /// Cost: about 0.1 µs a rule, and a few for one that fires.
  [[nodiscard]] std::array<rules::Findings, 2> judge(const rules::Facts& facts,
                                                     const names::Lists& lists = {},
                                                     Hits hits = Hits::kCounted) const;

  /// The rules that nearly fire, one line each (explain.h). `facts` may have findings of rules.
  [[nodiscard]] std::vector<std::string> near_misses(const rules::Facts& facts,
                                                     const names::Lists& lists = {}) const;

 private:
  /// Of a rule that fires. The function may outlive the policy.
  [[nodiscard]] std::function<rules::Explanation()> explanation_of(
      std::size_t rule, const MessageFacts& facts, const Evaluation& evaluation) const;

  const std::shared_ptr<const CompiledRules> rules_;
  const std::vector<bool> on_counters_;  ///< by rule
  const std::vector<std::shared_ptr<EventCount>> hits_;
};

}  // namespace shingled::milter::policy
