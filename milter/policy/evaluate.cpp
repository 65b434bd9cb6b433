#include "milter/policy/evaluate.h"

#include <algorithm>

namespace shingled::milter::policy {

class Evaluator {
 public:
  Evaluator(const CompiledRules& rules, const MessageFacts& facts, Evaluation& evaluation)
      : rules_(rules), facts_(facts), evaluation_(evaluation) {}

  void run() {
    std::ranges::fill(evaluation_.atoms_, Evaluation::kNotYet);
    for (const std::uint32_t rule : rules_.order)
      evaluation_.rules_[rule] = truth_of_node(rules_.roots[rule]);
  }

 private:
  using Node = CompiledRules::Node;

  // The depth is bounded by kBracketsMax.
  Truth truth_of_node(const Node& node) {
    switch (node.kind) {
      case Node::Kind::kAtom:
        return truth_of_atom(node.first);
      case Node::Kind::kRule:
        return evaluation_.rules_[node.first];
      case Node::Kind::kSymbol:
        return node.first < facts_.symbols.size() ? facts_.symbols[node.first] : Truth::kUnknown;
      case Node::Kind::kNot:
        return !truth_of_node(rules_.nodes[node.first]);
      case Node::Kind::kAnd:
        return truth_of_row<Truth::kFalse>(node);
      case Node::Kind::kOr:
        return truth_of_row<Truth::kTrue>(node);
      case Node::Kind::kUnknown:
        break;
    }
    return Truth::kUnknown;
  }

  /// The first part that is `decisive` decides; else one that is unknown.
  template <Truth decisive>
  Truth truth_of_row(const Node& node) {
    Truth truth = !decisive;
    for (std::uint32_t i = 0; i < node.count; ++i) {
      const Truth part = truth_of_node(rules_.nodes[node.first + i]);
      if (part == decisive) return decisive;
      truth = decisive == Truth::kFalse ? both(truth, part) : either(truth, part);
    }
    return truth;
  }

  Truth truth_of_atom(std::uint32_t place) {
    std::uint8_t& known = evaluation_.atoms_[place];
    if (known == Evaluation::kNotYet) {
      const AtomCode& atom = rules_.atoms[place];
      const bool feature =
          atom.kind == AtomCode::Kind::kNumber || atom.kind == AtomCode::Kind::kWord;
      known = static_cast<std::uint8_t>(feature ? holds(atom, facts_.features)
                                                : holds_for_one(atom, facts_.counters));
    }
    return static_cast<Truth>(known);
  }

  const CompiledRules& rules_;
  const MessageFacts& facts_;
  Evaluation& evaluation_;
};

void evaluate(const CompiledRules& rules, const MessageFacts& facts, Evaluation& evaluation) {
  Evaluator(rules, facts, evaluation).run();
}

PolicyEffect effect_of(const CompiledRules& rules, const Evaluation& evaluation) {
  PolicyEffect effect;
  for (std::size_t i = 0; i < rules.rules.size(); ++i) {
    const Rule& rule = rules.rules[i];
    if (!evaluation.fires(i) || rule.shadow) continue;
    effect.score += rule.score.value_or(0);
    effect.action = std::max(effect.action, rule.action.value_or(rules::Action::kPass));
  }
  return effect;
}

}  // namespace shingled::milter::policy
