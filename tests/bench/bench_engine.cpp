// The engine at 10^6 digests with shingles: look-ups, memory, adds with commit, opening.
//
//   bench_engine                          everything; the store is built in /tmp and removed
//   SHINGLED_BENCH_RECORDS=10000000 ...   another size
//   SHINGLED_BENCH_DIR=/var/tmp ...       another disk
//   SHINGLED_BENCH_FILE=/var/tmp/x.db ... a store that is kept, and used if it is there
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "storage/engine/engine.h"
#include "storage/sqlite/fuzzy_table.h"
#include "tests/storage/engine/random_fingerprint.h"

namespace shingled::storage {
namespace {

std::size_t record_count() {
  const char* text = std::getenv("SHINGLED_BENCH_RECORDS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1'000'000;
}

std::filesystem::path bench_directory() {
  const char* text = std::getenv("SHINGLED_BENCH_DIR");
  return text != nullptr ? std::filesystem::path(text) : std::filesystem::temp_directory_path();
}

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint32_t unix_now() {
  return static_cast<std::uint32_t>(SystemClock().wall().time_since_epoch().count());
}

/// Fingerprint number i, without keeping a million of them.
Fingerprint fingerprint_of(std::uint64_t i) {
  Seeded random(i * 0x9e3779b97f4a7c15 + 1);
  return random_fingerprint(random);
}

Update add_of(const Fingerprint& fingerprint) {
  return {.flag = 1, .value = 10, .fingerprint = fingerprint};
}

/// A store with record_count() hashes, built once.
class Store {
 public:
  Store() : directory_(bench_directory() / ("shingled-bench-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(directory_);
    const char* kept = std::getenv("SHINGLED_BENCH_FILE");
    options_.hashfile = kept != nullptr ? kept : directory_ / "fuzzy.db";
    if (!std::filesystem::exists(options_.hashfile)) fill();
    reopen();
  }
  ~Store() {
    engine_.reset();
    std::filesystem::remove_all(directory_);
  }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  static Store& get() {
    static Store store;
    return store;
  }
  Engine& engine() { return *engine_; }
  std::chrono::duration<double> reopen() {
    engine_.reset();
    const auto begun = std::chrono::steady_clock::now();
    const std::uint64_t before = resident_bytes();
    auto opened = Engine::open(options_, clock_, logger_);
    if (!opened) {
      std::fprintf(stderr, "%s\n", opened.error().message.c_str());
      std::exit(1);
    }
    engine_ = *std::move(opened);
    memory_ = resident_bytes() - before;
    return std::chrono::steady_clock::now() - begun;
  }
  [[nodiscard]] std::uint64_t memory() const { return memory_; }
  [[nodiscard]] std::uint64_t file_bytes() const {
    return std::filesystem::file_size(options_.hashfile);
  }

 private:
  /// Past the engine: ten million adds would take longer than what is measured.
  void fill() {
    auto table = FuzzyTable::open(options_.hashfile, Durability::kNormal);
    if (!table) std::exit(1);
    FuzzyRow row;
    row.updated = row.created = unix_now();
    row.flags.add({1, 10});
    constexpr std::size_t kRows = 16'384;
    for (std::size_t begin = 0, count = record_count(); begin < count; begin += kRows) {
      auto transaction = (*table)->begin();
      if (!transaction) std::exit(1);
      for (std::size_t i = begin; i < std::min(begin + kRows, count); ++i) {
        const Fingerprint fingerprint = fingerprint_of(i);
        row.digest = fingerprint.digest;
        row.shingles = fingerprint.shingles;
        if (!(*table)->insert(row)) std::exit(1);
      }
      if (!transaction->commit()) std::exit(1);
    }
  }

  std::filesystem::path directory_;
  EngineOptions options_;
  SystemClock clock_;
  NullLogger logger_;
  std::unique_ptr<Engine> engine_;
  std::uint64_t memory_ = 0;
};

/// Questions made before the clock runs.
std::vector<Fingerprint> questions(std::size_t slots_known) {
  constexpr std::size_t kQuestions = 20'000;
  Seeded random(7);
  std::vector<Fingerprint> asked;
  for (std::size_t i = 0; i < kQuestions; ++i) {
    asked.push_back(near_duplicate(fingerprint_of(random() % record_count()), slots_known, random));
  }
  return asked;
}

void check_all_of(benchmark::State& state, const std::vector<Fingerprint>& asked, bool hit) {
  Engine& engine = Store::get().engine();
  const std::uint32_t now = unix_now();
  std::size_t at = 0;
  for (auto _ : state) {
    const Fingerprint& question = asked[at++ % asked.size()];
    const auto match = engine.check(question.digest, &*question.shingles, now);
    if (match.has_value() != hit) state.SkipWithError("a wrong answer");
    benchmark::DoNotOptimize(match);
  }
  state.SetItemsProcessed(state.iterations());
}

void BM_DirectHit(benchmark::State& state) {
  Store::get();
  std::vector<Fingerprint> asked;
  Seeded random(8);
  for (int i = 0; i < 20'000; ++i) asked.push_back(fingerprint_of(random() % record_count()));
  check_all_of(state, asked, true);
}

void BM_MissWithShingles(benchmark::State& state) { check_all_of(state, questions(0), false); }

void BM_NearDuplicate24(benchmark::State& state) { check_all_of(state, questions(24), true); }

/// `in_flight` updates wait for their commits at any time, as with so many clients.
void BM_AddWithCommit(benchmark::State& state) {
  Engine& engine = Store::get().engine();
  static std::uint64_t next = std::uint64_t{1} << 40;
  const auto in_flight = static_cast<std::size_t>(state.range(0));
  std::vector<std::promise<bool>> done(in_flight);
  for (auto& promise : done) promise.set_value(true);
  std::size_t at = 0;
  for (auto _ : state) {
    auto& slot = done[at++ % in_flight];
    if (!slot.get_future().get()) state.SkipWithError("refused");
    slot = {};
    engine.submit(add_of(fingerprint_of(next++)),
                  [&slot](const Status& outcome) { slot.set_value(outcome.has_value()); });
  }
  for (auto& promise : done) promise.get_future().wait();
  state.SetItemsProcessed(state.iterations());
}

void BM_Open(benchmark::State& state) {
  Store& store = Store::get();
  for (auto _ : state) state.SetIterationTime(store.reopen().count());
  const auto records = static_cast<double>(store.engine().size());
  state.counters["records"] = records;
  state.counters["memory_bytes_a_record"] = static_cast<double>(store.memory()) / records;
  state.counters["file_bytes_a_record"] = static_cast<double>(store.file_bytes()) / records;
}

BENCHMARK(BM_DirectHit);
BENCHMARK(BM_MissWithShingles);
BENCHMARK(BM_NearDuplicate24);
BENCHMARK(BM_Open)->UseManualTime()->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(BM_AddWithCommit)->Arg(1)->Arg(64)->Arg(1024)->UseRealTime();

}  // namespace
}  // namespace shingled::storage
