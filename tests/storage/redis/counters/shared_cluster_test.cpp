// Covers storage/redis/counters with a real Redis cluster.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "storage/redis/counters/shared_layout.h"
#include "tests/storage/redis/counters/shared_fixture.h"
#include "tests/storage/redis/route/cluster_process.h"

namespace shingled::storage::redis {
namespace {

class SharedClusterTest : public SharedCountersTest {
 protected:
  void SetUp() override {
    if (!testing::ClusterProcess::installed())
      GTEST_SKIP() << "redis-server and redis-tools are not installed";
    ASSERT_TRUE(cluster_.start());
    options_.redis.cluster = true;
    options_.redis.servers = cluster_.seeds();
    options_.redis.timeout = std::chrono::seconds(20);
    options_.cache = std::chrono::milliseconds(0);
    options_.flush = std::chrono::seconds(60);
  }
  testing::ClusterProcess cluster_;
};

TEST_F(SharedClusterTest, AgreesWithBruteForceOverAllServers) {
  const Store a = open(0);
  const Store b = open(1);
  RandomCalls calls(1);
  for (int i = 0; i < 200; ++i) {
    add(calls.below(2) == 0 ? *a : *b, calls.next());
    if (i % 10 == 0) clock_.move(std::chrono::minutes(calls.below(200)));
  }
  deliver(*a);
  deliver(*b);
  expect_oracle(*a);
  auto cursor = b->scan();
  ASSERT_TRUE(cursor);
  std::size_t scanned = 0;
  auto next = (*cursor)->next();
  for (; next && *next != nullptr; next = (*cursor)->next()) ++scanned;
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(scanned, oracle_.keys().size());
  const std::vector<CounterKey> keys = oracle_.keys();
  ASSERT_TRUE(a->forget(keys, soon()));
  for (const CounterKey& key : keys) EXPECT_EQ(mass(*b, key), 0U);
}

TEST_F(SharedClusterTest, LosesNothingInAFailoverUnderLoad) {
  options_.redis.wait_replicas = 1;
  options_.redis.timeout = std::chrono::seconds(2);
  options_.flush = std::chrono::milliseconds(50);
  ASSERT_TRUE(cluster_.wait_until_whole());
  const Store a = open(0);
  const Store b = open(1);
  constexpr int kHosts = 50;
  std::atomic<std::uint64_t> calls{0};
  std::atomic<bool> stop{false};
  const auto run = [&](SharedCounters& store) {
    for (int i = 0; !stop; ++i) {
      const Addition addition = {{key_of(std::to_string(i % kHosts))},
                                 {pair_of("s" + std::to_string(i % 7), std::to_string(i % 1000))},
                                 message()};
      ASSERT_TRUE(store.add(addition, clock_.now() + std::chrono::milliseconds(100)));
      ++calls;
    }
  };
  std::vector<std::jthread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] { run(*a); });
    threads.emplace_back([&] { run(*b); });
  }
  const auto wait_for = [&](std::uint64_t more) {
    const std::uint64_t before = calls;
    while (calls < before + more) std::this_thread::yield();
  };
  wait_for(200);
  const std::size_t master = cluster_.a_master();
  cluster_.kill9(master);
  wait_for(200);
  cluster_.run(master);
  ASSERT_TRUE(cluster_.wait_until_whole());
  wait_for(200);
  stop = true;
  threads.clear();
  while (!a->deliver(soon())) std::this_thread::yield();
  while (!b->deliver(soon())) std::this_thread::yield();
  const Store reader = open(2);
  std::uint64_t hosts = 0;
  for (int i = 0; i < kHosts; ++i) hosts += mass(*reader, key_of(std::to_string(i)));
  EXPECT_EQ(hosts, calls) << "each call counts once";
  std::uint64_t pairs = 0;
  std::uint64_t different = 0;
  std::uint64_t uniques = 0;
  for (int s = 0; s < 7; ++s) {
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t count =
          mass(*reader, pair_of("s" + std::to_string(s), std::to_string(i)).key);
      pairs += count;
      different += count > 0 ? 1 : 0;
    }
    uniques += mass(*reader, pair_of("s" + std::to_string(s), "").unique_key());
  }
  EXPECT_EQ(pairs, calls);
  EXPECT_EQ(uniques, different);
}

}  // namespace
}  // namespace shingled::storage::redis
