// The cost of the fingerprints of a text whose words are known.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <string>

#include "mime/fingerprint/digests.h"
#include "mime/fingerprint/shingles.h"
#include "mime/fingerprint/spamsum.h"
#include "mime/fingerprint/spamsum_compare.h"

namespace shingled::fingerprint {
namespace {

/// Stems as in English mail: 2 to 9 letters, common ones often.
WordList make_stems(std::int64_t count) {
  std::mt19937 random(1);
  WordList stems;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto word = random() % (random() % 400 + 1);
    std::mt19937 letters(word);
    std::string stem;
    for (auto size = 2 + letters() % 8; size > 0; --size) {
      stem += static_cast<char>('a' + letters() % 26);
    }
    stems.add(stem);
  }
  return stems;
}

void BM_MakeShingles(benchmark::State& state) {
  const HashKeys keys = derive_hash_keys({.algorithm = static_cast<HashAlgorithm>(state.range(0))});
  const WordList stems = make_stems(state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(make_shingles(keys, stems));
  state.counters["words/s"] = benchmark::Counter(static_cast<double>(stems.size()),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(BM_MakeShingles)
    ->ArgNames({"algorithm", "words"})
    ->ArgsProduct({{0, 1, 2, 3}, {64, 200, 1000}})
    ->Unit(benchmark::kMicrosecond);

void BM_WordDigest(benchmark::State& state) {
  const HashKeys keys = derive_hash_keys({});
  const WordList stems = make_stems(200);
  for (auto _ : state) benchmark::DoNotOptimize(word_digest(keys, stems));
}
BENCHMARK(BM_WordDigest)->Unit(benchmark::kMicrosecond);

void BM_DataDigest(benchmark::State& state) {
  const std::string bytes(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state) benchmark::DoNotOptimize(data_digest(bytes));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(BM_DataDigest)->Arg(1024)->Arg(1024L * 1024)->Unit(benchmark::kMicrosecond);

std::string noise(std::size_t size) {
  std::mt19937_64 random(1);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

void BM_Spamsum(benchmark::State& state) {
  const std::string bytes = noise(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(spamsum(bytes));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(BM_Spamsum)->Arg(1000)->Arg(100'000)->Arg(10'000'000)->Unit(benchmark::kMicrosecond);

void BM_SpamsumScore(benchmark::State& state) {
  std::string bytes = noise(100'000);
  const SpamsumMatcher matcher(spamsum(bytes));
  if (state.range(0) != 0) {
    bytes.replace(50'000, 2'000, 2'000, 'x');
  } else {
    std::reverse(bytes.begin(), bytes.end());
  }
  const Spamsum other = spamsum(bytes);
  for (auto _ : state) benchmark::DoNotOptimize(matcher.score(other));
}
BENCHMARK(BM_SpamsumScore)->ArgName("alike")->Arg(0)->Arg(1)->Unit(benchmark::kNanosecond);

void BM_DeriveHashKeys(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(derive_hash_keys({}));
}
BENCHMARK(BM_DeriveHashKeys)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace shingled::fingerprint
