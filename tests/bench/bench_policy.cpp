// Rules on one message: 1000 of them, as a site might write them, with the twelve of the design's
// kinds in equal parts. Each rule compares with a number of its own, so that none shares work.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "milter/policy/compile_rules.h"
#include "milter/policy/evaluate.h"
#include "milter/policy/explain.h"
#include "milter/policy/parse_condition.h"

namespace shingled::milter::policy {
namespace {

/// The text of rule `i`, near to one that fires or not.
std::string text_of(std::size_t i) {
  switch (i % 12) {
    case 0:
      return fmt::format("from.spam >= {}% of {} in 14d", 50 + i % 50, 20 + i);
    case 1:
      return fmt::format("link_domain.complaint >= 0.{}% of {} in 1d", 1 + i % 9, 100 + i);
    case 2:
      return fmt::format("link_domain.rescue >= {}% of {} in 14d", 10 + i % 90, 5 + i);
    case 3:
      return fmt::format("subject.mass >= {} in 10m and not local", 10 + i);
    case 4:
      return fmt::format("user.unique_recipients >= {} in 1d", 10 + i);
    case 5:
      return fmt::format("user.mass >= {}x usual in 1h and user.mass >= {} in 1h", 2 + i, 10 + i);
    case 6:
      return fmt::format("attachment.unique_senders >= {} in 1h", 5 + i);
    case 7:
      return fmt::format("sender_recipient.mass = {} in 14d and sender.mass < {} in 14d", i, 2 * i);
    case 8:
      return fmt::format("sender_recipient.ham >= {} in 14d and sender_recipient.spam = 0 in 14d",
                         1 + i);
    case 9:
      return fmt::format("stored_hash.ham >= {}% of {} in 14d", 50 + i % 50, 10 + i);
    case 10:
      return fmt::format("bytes > {} and (html or words < {}) and spf != pass", 100 * i, i);
    default:
      return fmt::format("R{} and (FUZZY_PROB or R{})", i - 11, i - 8);
  }
}

CompiledRules rules_of(std::size_t count) {
  std::vector<Rule> rules;
  for (std::size_t i = 0; i < count; ++i) {
    Rule rule;
    rule.name = fmt::format("R{}", i);
    rule.condition = std::get<Condition>(parse_condition(text_of(i)));
    rule.score = 1;
    rules.push_back(std::move(rule));
  }
  auto compiled = compile_rules(std::move(rules), {.symbols = {"FUZZY_PROB"}});
  if (!compiled) std::abort();
  return *std::move(compiled);
}

/// A message with five links, three attachments and two recipients.
struct BenchMessage {
  explicit BenchMessage(const CompiledRules& rules)
      : counters(rules.needs.size()), symbols(rules.symbols.size(), Truth::kFalse) {
    features.set_number(Feature::kBytes, 40'000);
    features.set_number(Feature::kWords, 300);
    features.set_yes(Feature::kHtml, false);
    features.set_yes(Feature::kLocal, false);
    features.set_word(Feature::kSpf, "fail");
    for (std::size_t need = 0; need < rules.needs.size(); ++need) {
      const PieceType type = rules.needs[need].type;
      const bool link = type == PieceType::kLinkDomain;
      const bool file = type == PieceType::kUniqueAttachmentSenders;
      const std::size_t pieces =
          link ? 5 : (file ? 3 : (type == PieceType::kSenderRecipient ? 2 : 1));
      for (std::size_t piece = 0; piece < pieces; ++piece) {
        PieceReading reading{"piece", std::vector<Sums>(rules.needs[need].windows.size())};
        for (std::size_t i = 0; i < reading.sums.size(); ++i)
          reading.sums[i].counted.counts = {300 + i, 400, 1'000'000, 150 + piece, 100, 1, 30, 2};
        counters.add(need, std::move(reading));
      }
    }
  }

  FeatureValues features;
  CounterReadings counters;
  std::vector<Truth> symbols;
  [[nodiscard]] MessageFacts facts() const { return {features, counters, symbols}; }
};

void BM_EvaluateRules(benchmark::State& state) {
  const CompiledRules rules = rules_of(static_cast<std::size_t>(state.range(0)));
  const BenchMessage message(rules);
  Evaluation evaluation(rules);
  for (auto _ : state) {
    evaluate(rules, message.facts(), evaluation);
    benchmark::DoNotOptimize(effect_of(rules, evaluation));
  }
  std::size_t fired = 0;
  for (std::size_t i = 0; i < rules.rules.size(); ++i) fired += evaluation.fires(i) ? 1U : 0U;
  state.counters["fired"] = static_cast<double>(fired);
  state.counters["atoms"] = static_cast<double>(rules.atoms.size());
}
BENCHMARK(BM_EvaluateRules)->Arg(30)->Arg(1000)->Unit(benchmark::kMicrosecond);

void BM_CompileRules(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(rules_of(static_cast<std::size_t>(state.range(0))));
}
BENCHMARK(BM_CompileRules)->Arg(30)->Arg(1000)->Unit(benchmark::kMillisecond);

void BM_ExplainRule(benchmark::State& state) {
  const CompiledRules rules = rules_of(12);
  const BenchMessage message(rules);
  Evaluation evaluation(rules);
  evaluate(rules, message.facts(), evaluation);
  for (auto _ : state)
    benchmark::DoNotOptimize(explain_rule(rules, message.facts(), evaluation, 5));
}
BENCHMARK(BM_ExplainRule)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace shingled::milter::policy
