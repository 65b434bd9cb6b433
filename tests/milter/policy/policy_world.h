#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "milter/policy/compile_rules.h"
#include "milter/policy/evaluate.h"
#include "milter/policy/explain.h"
#include "milter/policy/parse_condition.h"

namespace shingled::milter::policy::testing {

using storage::counters::Measure;

inline Condition parsed(std::string_view text) {
  auto result = parse_condition(text);
  if (const auto* problem = std::get_if<ConditionProblem>(&result))
    ADD_FAILURE() << text << ": " << problem->to_string();
  auto* const condition = std::get_if<Condition>(&result);
  return condition == nullptr ? Condition{} : std::move(*condition);
}

inline Rule rule(std::string name, std::string_view condition, std::optional<double> score = 1) {
  Rule out;
  out.name = std::move(name);
  out.condition = parsed(condition);
  out.score = score;
  return out;
}

inline CompiledRules compiled(std::vector<Rule> rules, const CheckContext& context = {}) {
  auto result = compile_rules(std::move(rules), context);
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  return *std::move(result);
}

using Counts = std::initializer_list<std::pair<Measure, std::uint64_t>>;

inline Sums amounts(Counts counts) {
  Sums out;
  for (const auto& [measure, count] : counts) out.of(measure) = count;
  return out;
}

/// Some rules and a message.
class World {
 public:
  explicit World(std::vector<Rule> rules, const CheckContext& context = {})
      : rules(compiled(std::move(rules), context)),
        counters(this->rules.needs.size()),
        symbols(this->rules.symbols.size(), Truth::kFalse),
        evaluation(this->rules) {}

  /// What the counters say of a piece in some windows; nothing was counted in the others. Types
  /// that no rule needs are left out.
  World& piece(PieceType type, std::string name,
               std::initializer_list<std::pair<std::string_view, Sums>> of_windows) {
    for (std::size_t i = 0; i < rules.needs.size(); ++i) {
      const CounterNeed& need = rules.needs[i];
      if (need.type != type) continue;
      PieceReading reading{
          .piece = name, .sums = std::vector<Sums>(need.windows.size()), .said_known = true};
      for (const auto& [text, sums] : of_windows) {
        const Window window = *storage::counters::parse_said_window(text);
        const auto at = std::ranges::find(need.windows, window);
        if (at == need.windows.end()) continue;
        reading.sums[static_cast<std::size_t>(at - need.windows.begin())] = sums;
      }
      counters.add(i, std::move(reading));
    }
    return *this;
  }
  /// A piece with its messages of the days before today, yesterday first.
  World& days(PieceType type, std::string name, std::string_view window, std::uint64_t now,
              std::initializer_list<std::uint64_t> before) {
    piece(type, std::move(name), {{window, amounts({{Measure::kMass, now}})}});
    for (std::size_t i = 0; i < rules.needs.size(); ++i) {
      if (rules.needs[i].type != type) continue;
      PieceReading reading = counters.of(i).back();
      std::uint32_t day = 0;
      for (const std::uint64_t mass : before) {
        const Window window_of_day{storage::counters::Period::Unit::kDay, 1, ++day};
        const auto at = std::ranges::find(rules.needs[i].windows, window_of_day);
        reading.sums[static_cast<std::size_t>(at - rules.needs[i].windows.begin())].of(
            Measure::kMass) = mass;
      }
      CounterReadings with(rules.needs.size());
      for (std::size_t need = 0; need < rules.needs.size(); ++need) {
        for (const PieceReading& other : counters.of(need)) {
          const bool replaced = need == i && &other == &counters.of(i).back();
          with.add(need, replaced ? reading : other);
        }
      }
      counters = std::move(with);
    }
    return *this;
  }
  World& unknown_piece(PieceType type, std::string name) {
    for (std::size_t i = 0; i < rules.needs.size(); ++i) {
      if (rules.needs[i].type == type) counters.add(i, {name, {}});
    }
    return *this;
  }
  World& symbol(std::string_view name, Truth truth) {
    const auto at = std::ranges::find(rules.symbols, name);
    if (at != rules.symbols.end())
      symbols[static_cast<std::size_t>(at - rules.symbols.begin())] = truth;
    return *this;
  }

  [[nodiscard]] MessageFacts facts() const { return {features, counters, symbols}; }
  [[nodiscard]] std::size_t place(std::string_view name) const {
    const auto at = std::ranges::find(rules.rules, name, &Rule::name);
    EXPECT_NE(at, rules.rules.end()) << name;
    return static_cast<std::size_t>(at - rules.rules.begin());
  }
  Truth of(std::string_view name) {
    evaluate(rules, facts(), evaluation);
    return evaluation.of(place(name));
  }
  bool fires(std::string_view name) { return of(name) == Truth::kTrue; }
  std::string explained(std::string_view name) {
    evaluate(rules, facts(), evaluation);
    return explain_rule(rules, facts(), evaluation, place(name));
  }
  std::vector<std::string> near() {
    evaluate(rules, facts(), evaluation);
    std::vector<std::string> out;
    for (const NearMiss& miss : near_misses(rules, facts(), evaluation)) out.push_back(miss.text);
    return out;
  }

  CompiledRules rules;
  FeatureValues features;
  CounterReadings counters;
  std::vector<Truth> symbols;
  Evaluation evaluation;
};

}  // namespace shingled::milter::policy::testing
