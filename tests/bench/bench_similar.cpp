// Known files: signing by parts, one search, one durable add, and opening a library.
//
//   bench_similar                          100000 samples
//   SHINGLED_BENCH_SAMPLES=1000000 ...     another number
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "mime/fingerprint/spamsum.h"
#include "mime/fingerprint/spamsum_compare.h"
#include "storage/similar/sample_library.h"
#include "tests/bench/similar_worlds.h"
#include "tests/support/temporary_directory.h"

namespace shingled::bench {
namespace {

using storage::Sample;
using storage::similar::LibraryOptions;
using storage::similar::SampleLibrary;

constexpr std::uint64_t kBlockSize = 768;
constexpr std::size_t kBatch = 10'000;

std::size_t sample_count() {
  const char* text = std::getenv("SHINGLED_BENCH_SAMPLES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 100'000;
}

Sample sample_of(std::uint64_t number) {
  Numbers numbers(number);
  const std::size_t bytes = file_size(100'000, 0.5, numbers);
  return {.list = "bench",
          .name = "file " + std::to_string(number),
          .bytes = bytes,
          .signature = signature_of_size(bytes, numbers),
          .parts = parts_of_size(bytes, kBlockSize, numbers),
          .added = 1'790'000'000};
}

/// A library with sample_count() samples, made once.
struct World {
  World() {
    LibraryOptions no_index = options(false);
    no_index.index = false;
    auto library = SampleLibrary::open(no_index).value();
    for (std::size_t i = 0; i < sample_count(); i += kBatch) {
      std::vector<Sample> samples;
      for (std::size_t j = i; j < std::min(i + kBatch, sample_count()); ++j)
        samples.push_back(sample_of(j));
      if (!library->add_batch(samples)) std::exit(1);
    }
  }
  [[nodiscard]] LibraryOptions options(bool parts) const {
    return {.file = folder.file("similar.db"), .part_block_size = kBlockSize, .parts = parts};
  }
  static World& get() {
    static World world;
    return world;
  }
  shingled::testing::TemporaryDirectory folder;
};

void BM_SignParts(benchmark::State& state) {
  Numbers numbers(1);
  const std::string bytes = state.range(1) == 0 ? noise(1 << 20, numbers) : prose(1 << 20, numbers);
  const auto block_size = static_cast<std::uint64_t>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(fingerprint::spamsum_parts(bytes, block_size));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(BM_SignParts)->ArgNames({"block", "text"})->ArgsProduct({{64, 768, 4096}, {0, 1}});

void BM_Sign(benchmark::State& state) {
  Numbers numbers(1);
  const std::string bytes = noise(1 << 20, numbers);
  for (auto _ : state) benchmark::DoNotOptimize(fingerprint::spamsum(bytes));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(BM_Sign);

void BM_Open(benchmark::State& state) {
  const LibraryOptions options = World::get().options(state.range(0) != 0);
  std::uint64_t bytes = 0;
  const std::uint64_t before = resident_bytes();
  std::uint64_t resident = 0;
  for (auto _ : state) {
    const auto library = SampleLibrary::open(options).value();
    bytes = library->counts().bytes;
    resident = resident_bytes();
  }
  state.counters["index_MB"] = static_cast<double>(bytes) / 1e6;
  state.counters["resident_MB"] =
      (static_cast<double>(resident) - static_cast<double>(before)) / 1e6;
  state.counters["samples"] = static_cast<double>(sample_count());
}
BENCHMARK(BM_Open)->ArgName("parts")->Arg(0)->Arg(1)->Iterations(1)->Unit(benchmark::kMillisecond);

SampleLibrary& opened() {
  static const auto library = SampleLibrary::open(World::get().options(true)).value();
  return *library;
}

void BM_Similar(benchmark::State& state) {
  SampleLibrary& library = opened();
  Numbers numbers(3);
  for (auto _ : state) {
    const Sample sample = sample_of(numbers() % sample_count());
    benchmark::DoNotOptimize(library.similar(changed(sample.signature, numbers), 10));
  }
}
BENCHMARK(BM_Similar)->Unit(benchmark::kMicrosecond);

void BM_Sharing(benchmark::State& state) {
  SampleLibrary& library = opened();
  Numbers numbers(4);
  const auto letters = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    std::string parts = sample_of(numbers() % sample_count()).parts;
    while (parts.size() < letters) parts += random_letter(numbers);
    benchmark::DoNotOptimize(library.sharing(parts.substr(0, letters), 10));
  }
}
BENCHMARK(BM_Sharing)
    ->ArgName("letters")
    ->Arg(13)
    ->Arg(130)
    ->Arg(80'000)
    ->Unit(benchmark::kMicrosecond);

void BM_Refresh(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(opened().refresh());
}
BENCHMARK(BM_Refresh);

void BM_Add(benchmark::State& state) {
  SampleLibrary& library = opened();
  std::uint64_t number = 1'000'000'000;
  for (auto _ : state) {
    if (!library.add(sample_of(number++))) state.SkipWithError("cannot add");
  }
}
BENCHMARK(BM_Add)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace shingled::bench
