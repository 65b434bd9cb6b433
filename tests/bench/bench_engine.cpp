// The engine at 10^6 digests with shingles: look-ups, memory, adds with commit, opening.
//
//   bench_engine                          everything; the store is made in /tmp and removed
//   SHINGLED_BENCH_RECORDS=10000000 ...   another size
//   SHINGLED_BENCH_DIR=/var/tmp ...       another disk
//   SHINGLED_BENCH_FILE=/var/tmp/x.db ... a store that is kept, and used again if it exists
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "storage/engine/engine.h"
#include "storage/sqlite/hashes/fuzzy_table.h"
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

std::uint32_t unix_now() { return unix_seconds(SystemClock().wall()); }

/// Fingerprint number i. It is computed again each time, to keep none in memory.
Fingerprint fingerprint_of(std::uint64_t i) {
  engine::Seeded random(i * 0x9e3779b97f4a7c15 + 1);
  return engine::random_fingerprint(random);
}

Update add_of(const Fingerprint& fingerprint) {
  return {.flag = 1, .value = 10, .fingerprint = fingerprint};
}

/// Writes a file with that number of rows and the ages `age_of(i)`, without the engine: ten million
/// adds would take longer than the measurement.
template <typename AgeOf>
void fill(const std::string& path, std::size_t count, const AgeOf& age_of) {
  auto table = sqlite::FuzzyTable::open(path, Durability::kNormal);
  if (!table) std::exit(1);
  const std::uint32_t now = unix_now();
  sqlite::FuzzyRow row;
  row.flags.add({1, 10});
  constexpr std::size_t kRows = 16'384;
  for (std::size_t begin = 0; begin < count; begin += kRows) {
    auto transaction = (*table)->begin();
    if (!transaction) std::exit(1);
    for (std::size_t i = begin; i < std::min(begin + kRows, count); ++i) {
      const Fingerprint fingerprint = fingerprint_of(i);
      row.digest = fingerprint.digest;
      row.shingles = fingerprint.shingles;
      row.updated = row.created = now - age_of(i);
      if (!(*table)->insert(row)) std::exit(1);
    }
    if (!transaction->commit()) std::exit(1);
  }
}

/// A store with record_count() hashes, made once.
class Store {
 public:
  Store() : directory_(bench_directory() / ("shingled-bench-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(directory_);
    const char* kept = std::getenv("SHINGLED_BENCH_FILE");
    options_.hashfile = kept != nullptr ? kept : directory_ / "fuzzy.db";
    if (!std::filesystem::exists(options_.hashfile)) {
      fill(options_.hashfile, record_count(), [](std::size_t) { return 0U; });
    }
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
  engine::Engine& engine() { return *engine_; }
  std::chrono::duration<double> reopen() {
    engine_.reset();
    const auto begun = std::chrono::steady_clock::now();
    const std::uint64_t before = resident_bytes();
    auto opened = engine::Engine::open(options_, clock_, logger_);
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
  std::filesystem::path directory_;
  EngineOptions options_;
  SystemClock clock_;
  NullLogger logger_;
  std::unique_ptr<engine::Engine> engine_;
  std::uint64_t memory_ = 0;
};

/// Checks that are made before the measurement.
std::vector<Fingerprint> questions(std::size_t slots_known) {
  constexpr std::size_t kQuestions = 20'000;
  engine::Seeded random(7);
  std::vector<Fingerprint> asked;
  for (std::size_t i = 0; i < kQuestions; ++i) {
    asked.push_back(
        engine::near_duplicate(fingerprint_of(random() % record_count()), slots_known, random));
  }
  return asked;
}

/// Checks in batches, as they come from the network; the argument is the size of a batch.
void check_all_of(benchmark::State& state, const std::vector<Fingerprint>& asked, bool hit) {
  engine::Engine& engine = Store::get().engine();
  const std::uint32_t now = unix_now();
  const auto together = static_cast<std::size_t>(state.range(0));
  std::vector<Question> questions(together);
  std::vector<std::optional<Match>> answers(together);
  std::size_t at = 0;
  for (auto _ : state) {
    for (Question& question : questions) {
      const Fingerprint& next = asked[at++ % asked.size()];
      question = {&next.digest, &*next.shingles};
    }
    if (!engine.check_batch(questions, now, answers)) state.SkipWithError("no answer");
    for (const auto& match : answers) {
      if (match.has_value() != hit) state.SkipWithError("a wrong answer");
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_DirectHit(benchmark::State& state) {
  Store::get();
  std::vector<Fingerprint> asked;
  engine::Seeded random(8);
  for (int i = 0; i < 20'000; ++i) asked.push_back(fingerprint_of(random() % record_count()));
  check_all_of(state, asked, true);
}

void BM_MissWithShingles(benchmark::State& state) { check_all_of(state, questions(0), false); }

void BM_NearDuplicate24(benchmark::State& state) { check_all_of(state, questions(24), true); }

/// `in_flight` updates always wait for their commits, as with that number of clients.
void BM_AddWithCommit(benchmark::State& state) {
  engine::Engine& engine = Store::get().engine();
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

/// A list of durations.
class Latencies {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  void add(Moment begun) { took_.push_back(std::chrono::steady_clock::now() - begun); }
  /// The quantile `share`, in microseconds.
  [[nodiscard]] double percentile(double share) {
    if (took_.empty()) return 0;
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(took_.size() - 1));
    std::nth_element(took_.begin(), took_.begin() + at, took_.end());
    return std::chrono::duration<double, std::micro>(took_[static_cast<std::size_t>(at)]).count();
  }

 private:
  std::vector<std::chrono::steady_clock::duration> took_;
};

/// 64 updates in flight and one thread with checks, for ten seconds: the latencies of both.
/// With `expiring`, every second record has expired at the start.
void BM_Latencies(benchmark::State& state) {
  const bool expired = state.range(0) != 0;
  EngineOptions options;
  const std::filesystem::path directory =
      bench_directory() / ("shingled-latencies-" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  options.hashfile = directory / "fuzzy.db";
  constexpr std::size_t kRecords = 200'000;
  const auto age = static_cast<std::uint32_t>(options.expire.count()) + 10;
  fill(options.hashfile, kRecords, [&](std::size_t i) { return expired && i % 2 == 0 ? age : 0; });
  SystemClock clock;
  NullLogger logger;
  auto engine = engine::Engine::open(options, clock, logger);
  if (!engine) return state.SkipWithError(engine.error().message.c_str());
  Latencies checks;
  Latencies updates;
  std::atomic<bool> stop{false};
  for (auto _ : state) {
    std::thread checker([&] {
      engine::Seeded random(9);
      while (!stop) {
        const std::uint64_t known = random() % (kRecords / 2) * 2 + 1;
        const Fingerprint asked = engine::near_duplicate(fingerprint_of(known), 24, random);
        const auto begun = std::chrono::steady_clock::now();
        benchmark::DoNotOptimize((*engine)->check(asked.digest, &*asked.shingles, unix_now()));
        checks.add(begun);
      }
    });
    std::counting_semaphore<> in_flight(64);
    std::uint64_t next = std::uint64_t{1} << 41;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < end) {
      in_flight.acquire();
      (*engine)->submit(add_of(fingerprint_of(next++)),
                        [&, begun = std::chrono::steady_clock::now()](const Status&) {
                          updates.add(begun);
                          in_flight.release();
                        });
    }
    for (int i = 0; i < 64; ++i) in_flight.acquire();
    stop = true;
    checker.join();
    state.SetItemsProcessed(static_cast<std::int64_t>(next - (std::uint64_t{1} << 41)));
  }
  const engine::EngineCounters counters = (*engine)->counters();
  state.counters["check_p50_us"] = checks.percentile(0.5);
  state.counters["check_p99_us"] = checks.percentile(0.99);
  state.counters["check_p999_us"] = checks.percentile(0.999);
  state.counters["add_p50_us"] = updates.percentile(0.5);
  state.counters["add_p99_us"] = updates.percentile(0.99);
  state.counters["checkpoints"] = static_cast<double>(counters.checkpoints);
  state.counters["expired"] = static_cast<double>(counters.expired);
  engine->reset();
  std::filesystem::remove_all(directory);
}

BENCHMARK(BM_DirectHit)->ArgName("together")->Arg(1)->Arg(64);
BENCHMARK(BM_MissWithShingles)->ArgName("together")->Arg(1)->Arg(64);
BENCHMARK(BM_NearDuplicate24)->ArgName("together")->Arg(1)->Arg(64);
BENCHMARK(BM_Open)->UseManualTime()->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(BM_Latencies)->ArgName("expiring")->Arg(0)->Arg(1)->UseRealTime()->Iterations(1);
BENCHMARK(BM_AddWithCommit)->Arg(1)->Arg(64)->Arg(1024)->UseRealTime();

}  // namespace
}  // namespace shingled::storage
