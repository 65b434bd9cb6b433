// Leaky buckets: decisions a second and memory at 10^6 live ones, keeping them in a file, and a
// redis-server of our own with one call a message against one round trip a bucket.
//
//   bench_buckets                         everything
//   SHINGLED_BENCH_BUCKETS=10000000 ...   another number
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "storage/buckets/bucket_keeper.h"
#include "storage/buckets/redis_buckets.h"
#include "tests/storage/engine/temporary_directory.h"
#include "tests/storage/redis/redis_process.h"

namespace shingled::storage {
namespace {

std::size_t bucket_count() {
  const char* text = std::getenv("SHINGLED_BENCH_BUCKETS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1'000'000;
}

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Recipients as they are, 10 to 40 characters, some with an address of a client beside.
std::string name_of(std::uint64_t i) {
  std::mt19937_64 random(i * 0x9e3779b97f4a7c15 + 1);
  std::string local(4 + random() % 14, 'x');
  for (char& c : local) c = static_cast<char>('a' + random() % 26);
  const std::string recipient =
      local + std::to_string(i) + "@mail" + std::to_string(random() % 1000) + ".example.com";
  const std::string ip = "192.0." + std::to_string(i % 256) + "." + std::to_string(i / 256 % 256);
  const std::vector<std::string_view> parts = {recipient, ip};
  const bool with_ip = i % 3 == 0;
  return make_bucket_key(with_ip ? "to_ip" : "to", std::span(parts).first(with_ip ? 2 : 1), 0);
}

const LeakRate kRate(1.0 / 3600, 100);  // nothing gets empty while we look
constexpr TimePoint kNow{std::chrono::hours(1)};

/// A table with bucket_count() live buckets, built once.
struct Filled {
  Filled() {
    const std::uint64_t before = resident_bytes();
    table = std::make_unique<BucketTable>(bucket_count() * 11 / 10, BucketHashKey{1, 2, 3},
                                          BucketTable::Kept::kInFile);
    for (std::uint64_t i = 0; i < bucket_count(); ++i) {
      const std::string name = name_of(i);
      key_bytes += name.size();
      const BucketDemand what{name, kRate};
      if (!table->take({&what, 1}, kNow).taken) std::exit(1);
    }
    bytes = resident_bytes() - before;
  }
  static Filled& get() {
    static Filled filled;
    return filled;
  }
  std::unique_ptr<BucketTable> table;
  std::uint64_t bytes = 0;
  std::uint64_t key_bytes = 0;
};

void BM_Memory(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(&Filled::get());
  const auto count = static_cast<double>(Filled::get().table->size());
  state.counters["buckets"] = count;
  state.counters["bytes_a_bucket"] = static_cast<double>(Filled::get().bytes) / count;
  state.counters["of_these_its_name"] = static_cast<double>(Filled::get().key_bytes) / count;
}

/// A decision about so many random buckets at a time.
void BM_Decisions(benchmark::State& state) {
  BucketTable& table = *Filled::get().table;
  const auto together = static_cast<std::size_t>(state.range(0));
  std::mt19937_64 random(5);
  std::vector<std::string> names;
  for (int i = 0; i < 200'000; ++i) names.push_back(name_of(random() % bucket_count()));
  std::vector<BucketDemand> demands(together, {"", kRate});
  std::size_t at = 0;
  TimePoint now = kNow;
  for (auto _ : state) {
    for (BucketDemand& demand : demands) demand.key = names[at++ % names.size()];
    now += std::chrono::microseconds(1);
    const BucketAnswer answer = table.take(demands, now);
    benchmark::DoNotOptimize(answer.taken);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// All of them into a file, and back.
void BM_SaveAndLoad(benchmark::State& state) {
  const TemporaryDirectory folder;
  NullLogger logger;
  SystemClock clock;
  for (auto _ : state) {
    BucketTable table(bucket_count() * 11 / 10, BucketHashKey{1, 2, 3}, BucketTable::Kept::kInFile);
    const BucketKeeperOptions options{.path = folder.file("buckets.db"),
                                      .rows_max = 2 * bucket_count(),
                                      .pause = std::chrono::hours(1)};
    auto keeper = BucketKeeper::open(options, table, clock, logger);
    if (!keeper) return state.SkipWithError(keeper.error().message.c_str());
    for (std::uint64_t i = 0; i < bucket_count(); ++i)
      table.set(name_of(i), kRate, LeakyBucket(clock.now() + std::chrono::hours(1)), clock.now());
    const TimePoint begun = clock.now();
    if (!(*keeper)->save()) return state.SkipWithError("not saved");
    state.counters["save_seconds"] = std::chrono::duration<double>(clock.now() - begun).count();
    *keeper = nullptr;
    BucketTable again(bucket_count() * 11 / 10, BucketHashKey{4}, BucketTable::Kept::kInFile);
    const TimePoint loading = clock.now();
    keeper = BucketKeeper::open(options, again, clock, logger);
    state.counters["load_seconds"] = std::chrono::duration<double>(clock.now() - loading).count();
    state.counters["buckets"] = static_cast<double>(again.size());
    *keeper = nullptr;
  }
  const auto bytes = static_cast<double>(std::filesystem::file_size(folder.file("buckets.db")));
  state.counters["file_bytes_a_bucket"] = bytes / static_cast<double>(bucket_count());
}

/// Decisions through Redis: `buckets` a message, in one call of the script (`calls` 1) or each by a
/// round trip of its own.
void BM_Redis(benchmark::State& state) {
  static testing::RedisProcess* redis = [] {
    static testing::RedisProcess process({"--appendonly", "no"});
    return process.start() ? &process : nullptr;
  }();
  if (redis == nullptr) return state.SkipWithError("no redis-server");
  SystemClock clock;
  SystemRandom random;
  NullLogger logger;
  RedisOptions options;
  options.servers = {redis->address()};
  options.timeout = std::chrono::seconds(10);
  RedisBuckets store(options, std::make_unique<EmbeddedBuckets>(1000, clock, random), clock,
                     logger);
  const auto buckets = static_cast<std::size_t>(state.range(0));
  const auto calls = static_cast<std::size_t>(state.range(1));
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < 20'000; ++i) names.push_back(name_of(i));
  std::vector<BucketDemand> demands(buckets, {"", LeakRate(1, 1e6)});
  std::size_t at = static_cast<std::size_t>(state.thread_index()) * 5000;
  for (auto _ : state) {
    for (BucketDemand& demand : demands) demand.key = names[at++ % names.size()];
    const std::size_t share = buckets / calls;
    for (std::size_t first = 0; first < buckets; first += share) {
      const auto part = std::span(demands).subspan(first, share);
      if (store.take(part, clock.now() + std::chrono::seconds(10)).fallback)
        state.SkipWithError("Redis did not decide");
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(BM_Memory)->Iterations(1);
BENCHMARK(BM_Decisions)->ArgName("together")->Arg(1)->Arg(4)->Arg(16);
BENCHMARK(BM_SaveAndLoad)->Iterations(1)->UseRealTime()->Unit(benchmark::kSecond);
BENCHMARK(BM_Redis)
    ->ArgNames({"buckets", "calls"})
    ->Args({1, 1})
    ->Args({4, 4})
    ->Args({4, 1})
    ->Args({10, 10})
    ->Args({10, 1})
    ->Args({25, 25})
    ->Args({25, 1})
    ->UseRealTime();

}  // namespace
}  // namespace shingled::storage
