// The counters in Redis compared with the plain way: HINCRBY for each number of each period,
// pipelined by 100. Both count the same messages of 40 pieces in one redis-server without a disk,
// in turns.
//
//   shared_counter_load [MESSAGES [NEW]]    12000 messages; 68 % of their pieces are new
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "storage/redis/counters/shared_counters.h"
#include "storage/redis/route/open_route.h"
#include "tests/storage/redis/route/redis_process.h"
#include "tests/support/temporary_directory.h"

namespace {

using namespace shingled;
using namespace shingled::storage;
using counters::Addition;
using counters::CounterKey;
using counters::Direction;
using counters::Measure;
using counters::Period;
using Clocks = std::chrono::steady_clock;

constexpr std::size_t kPiecesPerMessage = 40;
constexpr std::uint64_t kKnownPieces = 1'000'000;
constexpr std::size_t kPipelined = 100;
constexpr std::size_t kDelivered = 2400;  // messages
constexpr int kRounds = 3;
constexpr std::chrono::seconds kPatience{20};

/// Some pieces are new, the others follow Zipf's law.
std::vector<Addition> make_mail(std::size_t messages, std::uint64_t new_percent) {
  std::mt19937_64 random(1);
  const auto piece = [&]() -> std::uint64_t {
    if (random() % 100 < new_percent) return random();
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    return static_cast<std::uint64_t>(std::pow(double{kKnownPieces}, u)) * 0x9E37'79B9'7F4A'7C15;
  };
  std::vector<Addition> mail(messages);
  for (Addition& addition : mail) {
    for (std::size_t i = 0; i < kPiecesPerMessage; ++i)
      addition.counters.push_back({piece(), static_cast<PieceType>(50 + i % 4), Direction::kIn});
    addition.amounts.of(Measure::kMass) = 1;
    addition.amounts.of(Measure::kRecipients) = 1;
    addition.amounts.of(Measure::kBytes) = 2000 + (random() % 300) * (random() % 300);
    addition.amounts.of(random() % 2 == 0 ? Measure::kSpam : Measure::kHam) = 1;
  }
  return mail;
}

[[noreturn]] void die(const std::string& reason) {
  fmt::print(stderr, "{}\n", reason);
  std::exit(1);
}

double server_seconds(const testing::RedisProcess& redis) {
  const std::string info = redis.ask({"INFO", "cpu"}).text;
  double sum = 0;
  for (const std::string_view name : {"used_cpu_sys:", "used_cpu_user:"})
    sum += std::atof(info.c_str() + info.find(name) + name.size());
  return sum;
}

std::uint64_t server_bytes(const testing::RedisProcess& redis) {
  const std::string info = redis.ask({"INFO", "memory"}).text;
  return std::strtoull(info.c_str() + info.find("used_memory:") + 12, nullptr, 10);
}

double client_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Figures {
  double wall = 0;
  double client = 0;
  double server = 0;
  double memory = 0;
};

/// The fastest of the rounds counts.
void measure(const testing::RedisProcess& redis, Figures& best, const auto& work) {
  redis.ask({"FLUSHALL"});
  const std::uint64_t bytes = server_bytes(redis);
  const double server = server_seconds(redis);
  const double client = client_seconds();
  const auto begin = Clocks::now();
  work();
  const double wall = std::chrono::duration<double>(Clocks::now() - begin).count();
  const double client_used = client_seconds() - client;
  const double used = server_seconds(redis) - server;
  best.memory = static_cast<double>(server_bytes(redis) - bytes);
  if (best.wall == 0 || wall < best.wall) best.wall = wall;
  if (best.client == 0 || client_used < best.client) best.client = client_used;
  if (best.server == 0 || used < best.server) best.server = used;
}

enum class Plain { kMassAlone, kAll, kAllWithExpiry };

void plain_way(redis::RedisRoute& route, const SystemClock& clock,
               const std::vector<Addition>& mail, Plain what) {
  const counters::Slot slot = counters::slot_of(clock.wall());
  redis::CommandList commands;
  const auto send = [&] {
    if (!route.ask(commands, clock.now() + kPatience)) die("Redis fails");
    commands.clear();
  };
  for (const Addition& addition : mail) {
    for (const CounterKey& key : addition.counters) {
      const std::string name = fmt::format("plain:{:016x}:{}", key.shingle, key.tag());
      for (std::size_t m = 0; m < (what == Plain::kMassAlone ? 1 : counters::kMeasures); ++m) {
        const std::uint64_t count = addition.amounts.counts[m];
        if (count == 0) continue;
        for (const Period& period : {Period{Period::Unit::kSlot, slot},
                                     Period{Period::Unit::kDay, counters::day_of(slot)}}) {
          commands.add({"HINCRBY", name,
                        fmt::format("{}{}:{}", period.unit == Period::Unit::kSlot ? 't' : 'd',
                                    period.number, m),
                        std::to_string(count)});
          if (commands.size() >= kPipelined) send();
        }
      }
      if (what == Plain::kAllWithExpiry) commands.add({"EXPIRE", name, "1296000"});
    }
  }
  if (!commands.empty()) send();
}

/// As much mail as Redis takes: while some messages are delivered, others are counted. Without a
/// bound the counters that wait would go to the journal alone and come back from there.
void shared_way(redis::SharedCounters& store, SystemClock& clock,
                const std::vector<Addition>& mail) {
  const auto deliver = [&] {
    while (!store.deliver(clock.now() + kPatience)) {
    }
  };
  std::future<void> delivery;
  for (std::size_t i = 0; i < mail.size(); ++i) {
    if (!store.add(mail[i], clock.now() + kPatience)) die("add fails");
    if ((i + 1) % kDelivered != 0) continue;
    if (delivery.valid()) delivery.get();
    delivery = std::async(std::launch::async, deliver);
  }
  if (delivery.valid()) delivery.get();
  deliver();
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t messages = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 12'000;
  const double updates = static_cast<double>(messages * kPiecesPerMessage);
  const std::uint64_t new_percent = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 68;
  const std::vector<Addition> mail = make_mail(messages, new_percent);
  testing::RedisProcess redis({"--appendonly", "no"});
  if (!redis.start()) die("redis-server does not start");
  const testing::TemporaryDirectory folder;
  SystemClock clock;
  SystemRandom random;
  NullLogger logger;
  SharedCounterOptions options;
  options.redis.servers = {redis.address()};
  options.redis.timeout = kPatience;
  options.journal_directory = folder.file("journal");
  const auto route =
      redis::open_route(options.redis, {}, redis::RedisServers::Turn::kInOrder, clock, logger)
          .route;
  Figures plain;
  Figures expiring;
  Figures mass;
  Figures shared;
  for (int round = 0; round < kRounds; ++round) {
    measure(redis, plain, [&] { plain_way(*route, clock, mail, Plain::kAll); });
    measure(redis, expiring, [&] { plain_way(*route, clock, mail, Plain::kAllWithExpiry); });
    measure(redis, mass, [&] { plain_way(*route, clock, mail, Plain::kMassAlone); });
    measure(redis, shared, [&] {
      const auto store = redis::SharedCounters::open(options, clock, random, logger);
      if (!store) die(store.error().message);
      shared_way(**store, clock, mail);
    });
  }
  fmt::print("{:<34}{:>12}{:>14}{:>14}{:>16}{:>8}\n", "", "updates/s", "us of client",
             "us of Redis", "bytes of Redis", "ratio");
  const auto line = [&](const char* name, const Figures& figures) {
    fmt::print("{:<34}{:>12.0f}{:>14.2f}{:>14.2f}{:>16.0f}{:>8.2f}\n", name, updates / figures.wall,
               figures.client * 1e6 / updates, figures.server * 1e6 / updates,
               figures.memory / updates, plain.wall / figures.wall);
  };
  line("plain, all measures", plain);
  line("plain, all measures, EXPIRE", expiring);
  line("plain, mass alone", mass);
  line("shared counters, all measures", shared);
  return 0;
}
