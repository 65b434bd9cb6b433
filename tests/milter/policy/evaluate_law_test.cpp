// Laws of milter/policy/evaluate.h: it agrees with a plain recursive evaluation, and a rule that
// fires while something is unknown fires whatever that turns out to be.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "milter/policy/counter_feature.h"
#include "milter/policy/evaluate.h"
#include "tests/milter/policy/any_condition.h"
#include "tests/milter/policy/policy_world.h"

namespace shingled::milter::policy {
namespace {

using testing::any_condition;
using testing::any_of;

const std::vector<std::string> kNames = {"local", "bounce", "SYM_A", "SYM_B"};

std::uint64_t small(int most) { return static_cast<std::uint64_t>(*rc::gen::inRange(0, most)); }

/// A few rules, each of which may name those before it; listed in any order.
std::vector<Rule> any_rules() {
  std::vector<Rule> rules;
  std::vector<std::string> names = kNames;
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) {
    Rule rule;
    rule.name = "RULE_" + std::to_string(i);
    rule.condition = any_condition(names, 3);
    rule.score = *rc::gen::inRange(-3, 4);
    rule.enabled = *rc::gen::inRange(0, 8) != 0;
    names.push_back(rule.name);
    rules.insert(rules.begin() + *rc::gen::inRange(0, i + 1), std::move(rule));
  }
  return rules;
}

/// A message of which everything is known, and what is known of it after something was hidden.
struct Message {
  explicit Message(const CompiledRules& rules)
      : counters(rules.needs.size()), symbols(rules.symbols.size()) {}
  FeatureValues features;
  CounterReadings counters;
  std::vector<Truth> symbols;
  [[nodiscard]] MessageFacts facts() const { return {features, counters, symbols}; }
};

Message any_message(const CompiledRules& rules) {
  Message message(rules);
  message.features.set_number(Feature::kWords, small(6));
  message.features.set_number(Feature::kHour, small(6));
  message.features.set_word(Feature::kSpf, any_of<std::string>({"pass", "fail", "none"}));
  for (const Feature feature : {Feature::kHtml, Feature::kLocal, Feature::kBounce})
    message.features.set_yes(feature, small(2) == 1);
  for (std::size_t i = 0; i < rules.needs.size(); ++i) {
    const int pieces = has_several(rules.needs[i].type) ? *rc::gen::inRange(1, 4) : 1;
    for (int piece = 0; piece < pieces; ++piece) {
      PieceReading reading{"piece", std::vector<Sums>(rules.needs[i].windows.size())};
      for (Sums& sums : reading.sums) {
        sums.of(Measure::kMass) = small(3) == 0 ? 0 : small(12);
        sums.of(Measure::kSpam) = small(12);
        sums.of(Measure::kRescue) = small(12);
      }
      message.counters.add(i, std::move(reading));
    }
  }
  for (Truth& symbol : message.symbols) symbol = truth_of(small(2) == 1);
  return message;
}

bool hidden() { return *rc::gen::inRange(0, 3) == 0; }

Message with_something_hidden(const Message& message, const CompiledRules& rules) {
  Message out(rules);
  for (const Feature feature : {Feature::kWords, Feature::kHour})
    if (!hidden()) out.features.set_number(feature, message.features.number(feature));
  for (const Feature feature : {Feature::kHtml, Feature::kLocal, Feature::kBounce})
    if (!hidden()) out.features.set_yes(feature, message.features.number(feature) == 1);
  if (!hidden()) out.features.set_word(Feature::kSpf, message.features.word(Feature::kSpf));
  for (std::size_t i = 0; i < rules.needs.size(); ++i) {
    if (hidden() && hidden()) continue;  // as if there were none
    for (const PieceReading& reading : message.counters.of(i))
      out.counters.add(i, hidden() ? PieceReading{reading.piece, {}} : reading);
  }
  for (std::size_t i = 0; i < out.symbols.size(); ++i)
    out.symbols[i] = hidden() ? Truth::kUnknown : message.symbols[i];
  return out;
}

/// Follows the words of the specification, without any of the tricks.
class Oracle {
 public:
  Oracle(const CompiledRules& rules, const Message& message) : rules_(rules), message_(message) {}

  Truth of(const Condition& condition) const {
    switch (condition.kind) {
      case Condition::Kind::kNot:
        return !of(condition.parts[0]);
      case Condition::Kind::kAnd:
      case Condition::Kind::kOr: {
        const bool all = condition.kind == Condition::Kind::kAnd;
        Truth truth = truth_of(all);
        for (const Condition& part : condition.parts)
          truth = all ? both(truth, of(part)) : either(truth, of(part));
        return truth;
      }
      case Condition::Kind::kAtom:
        break;
    }
    return of(condition.atom);
  }

 private:
  static Truth compared(Operator op, long double left, long double right) {
    switch (op) {
      case Operator::kAtLeast:
        return truth_of(left >= right);
      case Operator::kMore:
        return truth_of(left > right);
      case Operator::kAtMost:
        return truth_of(left <= right);
      case Operator::kLess:
        return truth_of(left < right);
      case Operator::kEqual:
        return truth_of(left == right);
      case Operator::kNotEqual:
        break;
    }
    return truth_of(left != right);
  }

  [[nodiscard]] Truth of(const Atom& atom) const {
    if (const FeatureRow* row = find_feature(atom.name)) {
      if (!message_.features.is_known(row->feature)) return Truth::kUnknown;
      if (atom.kind == Atom::Kind::kName)
        return truth_of(message_.features.number(row->feature) == 1);
      if (row->type == FeatureRow::Type::kNumber)
        return compared(atom.op, static_cast<long double>(message_.features.number(row->feature)),
                        static_cast<long double>(atom.number.whole()));
      const bool equal = to_string(message_.features, row->feature) == atom.word;
      return truth_of(equal == (atom.op == Operator::kEqual));
    }
    if (atom.kind == Atom::Kind::kName) return of_name(atom.name);
    const CounterFeature feature = *find_counter_feature(atom.name, atom.measure);
    std::size_t need = 0;
    while (rules_.needs[need].type != feature.type) ++need;
    Truth truth = Truth::kFalse;
    if (message_.counters.of(need).empty()) return Truth::kUnknown;
    for (const PieceReading& reading : message_.counters.of(need)) {
      if (reading.sums.empty()) {
        truth = either(truth, Truth::kUnknown);
      } else {
        truth = either(truth, of_counter(atom, feature, need, reading));
      }
    }
    return truth;
  }

  [[nodiscard]] Truth of_name(const std::string& name) const {
    for (const Rule& rule : rules_.rules) {
      if (rule.name == name) return rule.enabled ? of(rule.condition) : Truth::kUnknown;
    }
    for (std::size_t i = 0; i < rules_.symbols.size(); ++i) {
      if (rules_.symbols[i] == name) return message_.symbols[i];
    }
    return Truth::kUnknown;
  }

  [[nodiscard]] Truth of_counter(const Atom& atom, const CounterFeature& feature, std::size_t need,
                                 const PieceReading& reading) const {
    std::map<std::string, const Sums*> by_window;
    const std::vector<Window>& windows = rules_.needs[need].windows;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      by_window[storage::counters::to_string(windows[i]) + '-' +
                std::to_string(windows[i].skipped)] = &reading.sums[i];
    }
    const Sums& now = *by_window.at(storage::counters::to_string(atom.window) + "-0");
    const auto count = static_cast<long double>(now.of(feature.measure));
    const long double number = static_cast<long double>(atom.number.millionths) / kMillion;
    if (atom.kind == Atom::Kind::kCount) return compared(atom.op, count, number);
    if (atom.kind == Atom::Kind::kShare) {
      const auto whole = static_cast<long double>(now.of(*whole_of(feature)));
      if (whole < static_cast<long double>(atom.of.whole())) return Truth::kFalse;
      return compared(atom.op, count * 100, number * whole);
    }
    long double sum = 0;
    int days = 0;
    for (int day = 14; day >= 1; --day) {
      const Sums& then = *by_window.at("1d-" + std::to_string(day));
      if (days > 0 || !then.is_zero()) ++days;
      sum += static_cast<long double>(then.of(feature.measure));
    }
    if (days == 0) return Truth::kUnknown;
    const bool slots = atom.window.unit == storage::counters::Period::Unit::kSlot;
    const long double periods = slots ? 144 : 1;
    return compared(atom.op, count * days * periods, number * sum * atom.window.count);
  }

  const CompiledRules& rules_;
  const Message& message_;
};

/// Many rules by chance can never be true, or have another error.
CompiledRules any_compiled() {
  auto result = compile_rules(any_rules(), {.symbols = {"SYM_A", "SYM_B"}});
  RC_PRE(result.has_value());
  return *std::move(result);
}

RC_GTEST_PROP(EvaluateLaw, AgreesWithAPlainRecursion, ()) {
  const CompiledRules rules = any_compiled();
  const Message message = with_something_hidden(any_message(rules), rules);
  Evaluation evaluation(rules);
  evaluate(rules, message.facts(), evaluation);
  for (std::size_t i = 0; i < rules.rules.size(); ++i) {
    const Rule& rule = rules.rules[i];
    const Truth plain = rule.enabled ? Oracle(rules, message).of(rule.condition) : Truth::kUnknown;
    RC_ASSERT(evaluation.of(i) == plain);
    const std::string why = explain_rule(rules, message.facts(), evaluation, i);
    RC_ASSERT(why.starts_with(rule.name + ' '));
  }
  for (const NearMiss& miss : near_misses(rules, message.facts(), evaluation))
    RC_ASSERT(!evaluation.fires(miss.rule));
}

// Also the second law: a rule with a negative score never fires because something is missing, as it
// would not fire if that were known.
RC_GTEST_PROP(EvaluateLaw, WhatFiresWhileSomethingIsUnknownFiresWhateverItIs, ()) {
  const CompiledRules rules = any_compiled();
  const Message message = any_message(rules);
  const Message less = with_something_hidden(message, rules);
  Evaluation all(rules);
  Evaluation some(rules);
  evaluate(rules, message.facts(), all);
  evaluate(rules, less.facts(), some);
  for (std::size_t i = 0; i < rules.rules.size(); ++i) {
    if (some.of(i) != Truth::kUnknown) RC_ASSERT(some.of(i) == all.of(i));
  }
}

// The same evaluation may be used for one message after the other.
RC_GTEST_PROP(EvaluateLaw, ForgetsTheMessageBefore, ()) {
  const CompiledRules rules = any_compiled();
  const Message first = any_message(rules);
  const Message second = with_something_hidden(any_message(rules), rules);
  Evaluation used(rules);
  Evaluation fresh(rules);
  evaluate(rules, first.facts(), used);
  evaluate(rules, second.facts(), used);
  evaluate(rules, second.facts(), fresh);
  for (std::size_t i = 0; i < rules.rules.size(); ++i) RC_ASSERT(used.of(i) == fresh.of(i));
}

}  // namespace
}  // namespace shingled::milter::policy
