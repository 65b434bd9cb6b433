// The word of a model on one message: 200 trees of depth 6, with contributions. Goal: 10 us. Before
// that the vector is made, which grows with the pieces of the message.
#include <benchmark/benchmark.h>

#include <random>
#include <utility>
#include <vector>

#include "milter/model/evaluator.h"
#include "milter/model/model_evidence.h"
#include "milter/model/model_file.h"
#include "milter/model/vector.h"
#include "milter/policy/counter_feature.h"
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

/// What the model is given of a message that has all types of pieces, and eight of those of which
/// a message may have several.
void vector_of_message(benchmark::State& state) {
  features::FeatureValues features;
  features.set_number(features::Feature::kLinks, 12);
  std::mt19937 dice(2);
  std::vector<std::pair<PieceType, std::vector<features::Sums>>> pieces;
  for (const PieceTypeRow& row : piece_types()) {
    const std::size_t several = policy::has_several(row.type) ? 8 : 1;
    for (std::size_t i = 0; i < several; ++i) {
      auto& sums = pieces.emplace_back(row.type, kWindowsUsed).second;
      for (features::Sums& sum : sums) sum.of(Measure::kMass) = 1 + dice() % 100;
    }
  }
  for (auto _ : state) {
    VectorMaker maker(features, 2.5, windows_used(), true);
    for (const auto& [type, sums] : pieces) maker.add(type, sums);
    benchmark::DoNotOptimize(maker.take());
  }
  state.counters["pieces"] = static_cast<double>(pieces.size());
}
BENCHMARK(vector_of_message);

void load(benchmark::State& state) {
  Model model = testing::any_model(1, 200, 6);
  const std::string text = text_of(model);
  for (auto _ : state) benchmark::DoNotOptimize(model_of(text));
}
BENCHMARK(load)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace shingled::milter::model
