#include "milter/policy/evaluate.h"

#include <algorithm>

namespace shingled::milter::policy {

names::Found names_found(const CompiledRules& rules, const MessageFacts& facts,
                         const AtomCode& atom) {
  if (facts.names == nullptr) return {};
  const NameFacts& names = *facts.names;
  const names::NameList* list = nullptr;
  if (!atom.in_file) {
    list = rules.lists[atom.list].get();
  } else if (atom.list < names.files.size()) {
    list = names.files[atom.list];
  }
  if (list == nullptr) return {};
  return names::look_up(*list, atom.name, names.values, atom.name);
}

Truth holds_for_names(const CompiledRules& rules, const MessageFacts& facts, const AtomCode& atom) {
  const auto answer = names_found(rules, facts, atom).answer;
  if (answer == names::Found::Answer::kUnknown) return Truth::kUnknown;
  return truth_of((answer == names::Found::Answer::kYes) == (atom.op == Operator::kEqual));
}

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
      known = static_cast<std::uint8_t>(truth_of_comparison(atom));
    }
    return static_cast<Truth>(known);
  }

  Truth truth_of_comparison(const AtomCode& atom) const {
    switch (atom.kind) {
      case AtomCode::Kind::kNumber:
      case AtomCode::Kind::kWord:
        return holds(atom, facts_.features);
      case AtomCode::Kind::kName:
        return holds_for_names(rules_, facts_, atom);
      case AtomCode::Kind::kCount:
      case AtomCode::Kind::kShare:
      case AtomCode::Kind::kUsual:
        break;
    }
    return holds_for_one(atom, facts_.counters);
  }

  const CompiledRules& rules_;
  const MessageFacts& facts_;
  Evaluation& evaluation_;
};

void evaluate(const CompiledRules& rules, const MessageFacts& facts, Evaluation& evaluation) {
  Evaluator(rules, facts, evaluation).run();
}

void add_effect(const Rule& rule, PolicyEffect& effect) {
  effect.score += rule.score.value_or(0);
  effect.action = std::max(effect.action, rule.action.value_or(rules::Action::kPass));
  if (rule.at_most)
    effect.at_most = std::min(effect.at_most.value_or(rules::Action::kDiscard), *rule.at_most);
}

PolicyEffect effect_of(const CompiledRules& rules, const Evaluation& evaluation) {
  PolicyEffect effect;
  for (std::size_t i = 0; i < rules.rules.size(); ++i) {
    const Rule& rule = rules.rules[i];
    if (evaluation.fires(i) && !rule.shadow) add_effect(rule, effect);
  }
  return effect;
}

}  // namespace shingled::milter::policy
