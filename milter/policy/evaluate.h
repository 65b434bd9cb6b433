#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "milter/features/feature.h"
#include "milter/names/name_list.h"
#include "milter/policy/atom_code.h"
#include "milter/policy/compile_rules.h"

namespace shingled::milter::policy {

/// What is known of the names of one message.
struct NameFacts {
  const features::MessageNames& values;
  /// For CompiledRules::files; nullptr = it is not known what is in it.
  std::vector<const names::NameList*> files;
};

/// What is known of one message.
struct MessageFacts {
  const FeatureValues& features;
  const CounterReadings& counters;  ///< for CompiledRules::needs
  std::span<const Truth> symbols;   ///< for CompiledRules::symbols: whether another source found it
  const NameFacts* names = nullptr;  ///< null: all are unknown
};

/// Whether a name of the message is on the list of a comparison of kName. Of `!=`, too.
names::Found names_found(const CompiledRules& rules, const MessageFacts& facts,
                         const AtomCode& atom);
/// Whether that comparison holds.
Truth holds_for_names(const CompiledRules& rules, const MessageFacts& facts, const AtomCode& atom);

/// What the rules say of a message. Made once and used for many messages, one after the other.
/// Threads: one thread.
class Evaluation {
 public:
  explicit Evaluation(const CompiledRules& rules)
      : rules_(rules.rules.size(), Truth::kUnknown), atoms_(rules.atoms.size(), kNotYet) {}

  /// Whether the condition of a rule holds. Unknown for a rule that is not enabled.
  [[nodiscard]] Truth of(std::size_t rule) const { return rules_[rule]; }
  /// Whether a rule fires: its condition is true. A shadow rule fires, too, without effect.
  [[nodiscard]] bool fires(std::size_t rule) const { return rules_[rule] == Truth::kTrue; }

 private:
  friend class Evaluator;

  static constexpr std::uint8_t kNotYet = 0xFF;

  std::vector<Truth> rules_;
  std::vector<std::uint8_t> atoms_;  ///< a Truth, or kNotYet
};

/// Evaluates all enabled rules. A rule fires only if it would fire for every value that unknown
/// features, counters and symbols could have.
/// Threads: stateless.
/// Cost:    no allocation; each comparison is made at most once, and only if a rule depends on it.
void evaluate(const CompiledRules& rules, const MessageFacts& facts, Evaluation& evaluation);

/// What the rules that fire do together: those that are not in shadow.
struct PolicyEffect {
  double score = 0;                             ///< the sum
  rules::Action action = rules::Action::kPass;  ///< the strongest
  std::optional<rules::Action> at_most = {};    ///< the lowest bound
  friend bool operator==(const PolicyEffect&, const PolicyEffect&) = default;
};
/// Adds what a rule does.
void add_effect(const Rule& rule, PolicyEffect& effect);
PolicyEffect effect_of(const CompiledRules& rules, const Evaluation& evaluation);

}  // namespace shingled::milter::policy
