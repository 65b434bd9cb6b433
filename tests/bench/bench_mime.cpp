// From the bytes of a message to the hashes of the built-in rule, for the corpus in memory. One
// thread. Compare bytes_per_second and items_per_second (messages).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mime/analysis_parts.h"
#include "mime/analyze.h"
#include "mime/message/message_scan.h"
#include "tests/bench/corpus.h"
#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

using bench::corpus;

template <typename Work>
void run_over_corpus(benchmark::State& state, Work work) {
  if (corpus().empty()) return state.SkipWithError("no corpus beside this checkout");
  std::size_t bytes = 0;
  for (const std::string& message : corpus()) bytes += message.size();
  for (auto _ : state) {
    for (const std::string& message : corpus()) work(message);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(corpus().size()));
}

void BM_Scan(benchmark::State& state) {
  run_over_corpus(state,
                  [](const std::string& message) { benchmark::DoNotOptimize(scan_all(message)); });
}
BENCHMARK(BM_Scan)->Unit(benchmark::kMillisecond);

void BM_Analyze(benchmark::State& state) {
  run_over_corpus(
      state, [](const std::string& message) { benchmark::DoNotOptimize(analyze(message, {})); });
}
BENCHMARK(BM_Analyze)->Unit(benchmark::kMillisecond);

void BM_AnalyzeAndHash(benchmark::State& state) {
  const HashRule rule;
  run_over_corpus(state, [&](const std::string& message) {
    benchmark::DoNotOptimize(hash_message(analyze(message, {}), rule));
  });
}
BENCHMARK(BM_AnalyzeAndHash)->Unit(benchmark::kMillisecond);

/// The same with our own fingerprint, as in rules for the embedded storage.
void BM_AnalyzeAndHashRobust(benchmark::State& state) {
  const HashRule rule(HashOptions{.robust = true});
  run_over_corpus(state, [&](const std::string& message) {
    benchmark::DoNotOptimize(hash_message(analyze(message, {}), rule));
  });
}
BENCHMARK(BM_AnalyzeAndHashRobust)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace shingled::mime
