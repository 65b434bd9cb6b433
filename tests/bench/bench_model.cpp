// The word of a model on one message: 200 trees of depth 6, with contributions. Goal: 10 us.
#include <benchmark/benchmark.h>

#include <random>

#include "milter/model/evaluator.h"
#include "milter/model/model_evidence.h"
#include "milter/model/model_file.h"
#include "tests/milter/model/models.h"

namespace shingled::milter::model {
namespace {

void score(benchmark::State& state) {
  const Model model = testing::any_model(1, 200, 6);
  const Evaluator trees(model, Scale::of(model, 4));
  std::mt19937 dice(2);
  std::vector<Vector> vectors;
  for (int i = 0; i < 64; ++i) vectors.push_back(testing::any_vector(dice));
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(trees.score(vectors[next++ % vectors.size()]));
}
BENCHMARK(score);

void with_contributions(benchmark::State& state) {
  const Model model = testing::any_model(1, 200, 6);
  const Evaluator trees(model, Scale::of(model, 4));
  std::mt19937 dice(2);
  std::vector<Vector> vectors;
  for (int i = 0; i < 64; ++i) vectors.push_back(testing::any_vector(dice));
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(trees.explain(vectors[next++ % vectors.size()]));
}
BENCHMARK(with_contributions);

void load(benchmark::State& state) {
  Model model = testing::any_model(1, 200, 6);
  const std::string text = text_of(model);
  for (auto _ : state) benchmark::DoNotOptimize(model_of(text));
}
BENCHMARK(load)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace shingled::milter::model
