// Leaky buckets: decisions per second and memory with 10^6 buckets, saving them in a file, and
// Redis with one request per message compared with one round trip per bucket.
//
//   bench_buckets                         everything
//   SHINGLED_BENCH_BUCKETS=10000000 ...   another number
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "storage/buckets/embedded_buckets.h"
#include "storage/redis/buckets/redis_buckets.h"
#include "storage/redis/route/redis_server.h"
#include "tests/storage/redis/route/redis_process.h"
#include "tests/support/temporary_directory.h"

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

/// Realistic recipients of 10 to 40 characters, some together with a client address.
std::string name_of(std::uint64_t i) {
  std::mt19937_64 random(i * 0x9e3779b97f4a7c15 + 1);
  std::string local(4 + random() % 14, 'x');
  for (char& c : local) c = static_cast<char>('a' + random() % 26);
  const std::string recipient =
      local + std::to_string(i) + "@mail" + std::to_string(random() % 1000) + ".example.com";
  const std::string ip = "192.0." + std::to_string(i % 256) + "." + std::to_string(i / 256 % 256);
  const std::vector<std::string_view> parts = {recipient, ip};
  const bool with_ip = i % 3 == 0;
  return buckets::make_bucket_key(with_ip ? "to_ip" : "to", std::span(parts).first(with_ip ? 2 : 1),
                                  0);
}

const LeakRate kRate(1.0 / 3600, 100);  // no bucket becomes empty during the measurement
constexpr TimePoint kNow{std::chrono::hours(1)};

/// A table with bucket_count() buckets that are not empty, made once.
struct Filled {
  Filled() {
    const std::uint64_t before = resident_bytes();
    table = std::make_unique<buckets::BucketTable>(bucket_count() * 11 / 10,
                                                   buckets::BucketHashKey{1, 2, 3},
                                                   buckets::BucketTable::Kept::kInFile);
    for (std::uint64_t i = 0; i < bucket_count(); ++i) {
      const std::string name = name_of(i);
      key_bytes += name.size();
      const buckets::BucketDemand what{name, kRate};
      if (!table->take({&what, 1}, kNow).taken) std::exit(1);
    }
    bytes = resident_bytes() - before;
  }
  static Filled& get() {
    static Filled filled;
    return filled;
  }
  std::unique_ptr<buckets::BucketTable> table;
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

/// Decisions about random buckets; the argument is the number of buckets per decision.
void BM_Decisions(benchmark::State& state) {
  buckets::BucketTable& table = *Filled::get().table;
  const auto together = static_cast<std::size_t>(state.range(0));
  std::mt19937_64 random(5);
  std::vector<std::string> names;
  for (int i = 0; i < 200'000; ++i) names.push_back(name_of(random() % bucket_count()));
  std::vector<buckets::BucketDemand> demands(together, {"", kRate});
  std::size_t at = 0;
  TimePoint now = kNow;
  for (auto _ : state) {
    for (buckets::BucketDemand& demand : demands) demand.key = names[at++ % names.size()];
    now += std::chrono::microseconds(1);
    const buckets::BucketAnswer answer = table.take(demands, now);
    benchmark::DoNotOptimize(answer.taken);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// Writes all buckets to a file and reads them.
void BM_SaveAndLoad(benchmark::State& state) {
  const shingled::testing::TemporaryDirectory folder;
  NullLogger logger;
  SystemClock clock;
  for (auto _ : state) {
    buckets::BucketTable table(bucket_count() * 11 / 10, buckets::BucketHashKey{1, 2, 3},
                               buckets::BucketTable::Kept::kInFile);
    const buckets::BucketFlusherOptions options{.path = folder.file("buckets.db"),
                                                .rows_max = 2 * bucket_count(),
                                                .pause = std::chrono::hours(1)};
    auto flusher = buckets::BucketFlusher::open(options, table, clock, logger);
    if (!flusher) return state.SkipWithError(flusher.error().message.c_str());
    for (std::uint64_t i = 0; i < bucket_count(); ++i)
      table.set(name_of(i), kRate, LeakyBucket(clock.now() + std::chrono::hours(1)), clock.now());
    const TimePoint begun = clock.now();
    if (!(*flusher)->save()) return state.SkipWithError("not saved");
    state.counters["save_seconds"] = std::chrono::duration<double>(clock.now() - begun).count();
    *flusher = nullptr;
    buckets::BucketTable again(bucket_count() * 11 / 10, buckets::BucketHashKey{4},
                               buckets::BucketTable::Kept::kInFile);
    const TimePoint loading = clock.now();
    flusher = buckets::BucketFlusher::open(options, again, clock, logger);
    state.counters["load_seconds"] = std::chrono::duration<double>(clock.now() - loading).count();
    state.counters["buckets"] = static_cast<double>(again.size());
    *flusher = nullptr;
  }
  const auto bytes = static_cast<double>(std::filesystem::file_size(folder.file("buckets.db")));
  state.counters["file_bytes_a_bucket"] = bytes / static_cast<double>(bucket_count());
}

constexpr std::uint16_t kPort = 17'411;

/// A redis-server that writes nothing to disk.
testing::RedisProcess& redis() {
  static testing::RedisProcess process(
      {"--appendonly", "no", "--port", std::to_string(kPort), "--bind", "127.0.0.1"});
  static const bool started = process.start();
  if (!started) std::exit(1);
  return process;
}

/// Over a unix socket or over TCP on loopback.
SocketSpec redis_address(bool tcp) {
  return tcp ? SocketSpec{SocketSpec::Kind::kInet, "127.0.0.1", kPort, ""} : redis().address();
}

/// Processor time of this process and of Redis so far. The sum per decision limits the rate on a
/// busy machine, and other work on the machine does not change it.
struct ProcessorTime {
  ProcessorTime() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    own = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    const std::string text = redis().ask({"INFO", "cpu"}).text;
    for (const std::string_view field : {"used_cpu_sys:", "used_cpu_user:"})
      server += std::atof(text.c_str() + text.find(field) + field.size());
  }
  void report_since(benchmark::State& state, std::size_t decisions) const {
    const ProcessorTime now;
    const auto count = static_cast<double>(decisions) * state.threads();
    state.counters["own_us"] = (now.own - own) * 1e6 / count;
    state.counters["redis_us"] = (now.server - server) * 1e6 / count;
  }
  double own = 0;
  double server = 0;
};

/// The buckets of a message: five types for each recipient, with one client and one sender.
/// Recipients are repeated often, clients less often, all three together seldom. Nothing is
/// refused.
class Message {
 public:
  Message(std::mt19937_64& random, std::size_t recipients) {
    const std::string ip =
        "192.0." + std::to_string(random() % 4) + "." + std::to_string(random() % 256);
    const std::string from = "sender" + std::to_string(random() % 5000);
    const std::string domain = "mail" + std::to_string(random() % 500) + ".example.com";
    for (std::size_t i = 0; i < recipients; ++i) {
      const std::string to = "somebody" + std::to_string(random() % 5000) + "@example.org";
      add("to", {to});
      add("to_ip", {to, ip});
      add("to_ip_from", {to, ip, from + "@" + domain});
      add("to_from_domain", {to, domain});
      add("to_network", {to, "192.0.2.0/24"});
    }
    for (const std::string& name : names_) demands_.push_back({name, LeakRate(2.0 / 60, 1e6)});
  }
  [[nodiscard]] std::span<const buckets::BucketDemand> demands() const { return demands_; }

 private:
  void add(std::string_view type, const std::vector<std::string_view>& parts) {
    names_.push_back(buckets::make_bucket_key(type, parts, 0));
  }
  std::deque<std::string> names_;
  std::vector<buckets::BucketDemand> demands_;
};

/// Made before the measurement, different for each thread.
std::vector<Message> some_messages(std::size_t recipients, int thread) {
  std::mt19937_64 random(static_cast<std::uint64_t>(thread) + 77);
  std::vector<Message> out;
  out.reserve(3000);
  for (int i = 0; i < 3000; ++i) out.emplace_back(random, recipients);
  return out;
}

/// Decisions (one bucket each) per second through Redis, in the way of the milter: each thread
/// handles one message after the other, with one call per message.
void BM_RedisByMessage(benchmark::State& state) {
  static std::unique_ptr<redis::RedisBuckets> store;
  static SystemClock clock;
  static SystemRandom random;
  static NullLogger logger;
  if (state.thread_index() == 0) {
    RedisOptions options;
    options.servers = {redis_address(state.range(1) != 0)};
    options.timeout = std::chrono::seconds(10);
    store = std::make_unique<redis::RedisBuckets>(
        options, std::make_unique<buckets::EmbeddedBuckets>(1000, clock, random), clock, logger);
  }
  const auto messages =
      some_messages(static_cast<std::size_t>(state.range(0)), state.thread_index());
  std::size_t at = 0;
  const ProcessorTime begun;
  for (auto _ : state) {
    const Message& message = messages[at++ % messages.size()];
    if (store->take(message.demands(), clock.now() + std::chrono::seconds(10)).fallback)
      state.SkipWithError("Redis did not decide");
  }
  const auto decisions = static_cast<std::size_t>(state.iterations() * state.range(0) * 5);
  if (state.thread_index() == 0) begun.report_since(state, decisions);
  state.SetItemsProcessed(static_cast<std::int64_t>(decisions));
}

/// The same with one round trip per bucket: each thread has its own connection and calls the same
/// script once per bucket.
void BM_RedisByBucket(benchmark::State& state) {
  static std::unique_ptr<redis::RedisServer> server;
  static SystemClock clock;
  static NullLogger logger;
  static std::string sha;
  const auto deadline = [&] { return clock.now() + std::chrono::seconds(10); };
  if (state.thread_index() == 0) {
    server = std::make_unique<redis::RedisServer>(redis_address(state.range(1) != 0),
                                                  redis::RedisLogin{}, clock, logger);
    redis::CommandList load;
    load.add({"SCRIPT", "LOAD", redis::bucket_script()});
    const auto replies = server->ask(load, deadline());
    if (replies) sha = replies->front().text;
  }
  const auto messages =
      some_messages(static_cast<std::size_t>(state.range(0)), state.thread_index());
  std::size_t at = 0;
  const ProcessorTime begun;
  for (auto _ : state) {
    const auto demands = messages[at++ % messages.size()].demands();
    for (std::size_t i = 0; i < demands.size(); ++i) {
      const redis::ScriptCall call = redis::take_call("fuzzy", demands, {&i, 1});
      const redis::ScriptCall* const only = &call;
      redis::CommandList commands;
      redis::append_calls(commands, {"EVALSHA", sha}, {&only, 1});
      buckets::BucketAnswer answer;
      answer.levels.resize(demands.size());
      const auto replies = server->ask(commands, deadline());
      if (!replies || replies->front().elements.size() != 1 ||
          !redis::read_taken(replies->front().elements[0], demands, {&i, 1}, answer))
        state.SkipWithError("Redis did not decide");
    }
  }
  const auto decisions = static_cast<std::size_t>(state.iterations() * state.range(0) * 5);
  if (state.thread_index() == 0) begun.report_since(state, decisions);
  state.SetItemsProcessed(static_cast<std::int64_t>(decisions));
}

void redis_arguments(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"recipients", "tcp"})->UseRealTime();
  for (const int tcp : {0, 1})
    for (const int recipients : {1, 2, 3, 5}) benchmark->Args({recipients, tcp});
  for (const int threads : {1, 4, 16}) benchmark->Threads(threads);
}

BENCHMARK(BM_Memory)->Iterations(1);
BENCHMARK(BM_Decisions)->ArgName("together")->Arg(1)->Arg(4)->Arg(16);
BENCHMARK(BM_SaveAndLoad)->Iterations(1)->UseRealTime()->Unit(benchmark::kSecond);
BENCHMARK(BM_RedisByMessage)->Apply(redis_arguments);
BENCHMARK(BM_RedisByBucket)->Apply(redis_arguments);

}  // namespace
}  // namespace shingled::storage
