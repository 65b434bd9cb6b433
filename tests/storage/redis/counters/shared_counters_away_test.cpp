// Covers storage/redis/counters while Redis is killed, frozen or empty, while replies are lost,
// and while the disk fails or the process is killed.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "config/metrics/metric_report.h"
#include "tests/storage/redis/counters/shared_fixture.h"
#include "tests/storage/redis/route/cutting_proxy.h"
#include "tests/support/borrowed_files.h"
#include "tests/support/fake_store.h"
#include "tests/support/memory_files.h"

namespace shingled::storage::redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::BorrowedFiles;
using ::testing::ElementsAre;
using testing::MemoryFiles;

class SharedCountersAwayTest : public SharedCountersTest {
 protected:
  Store open_in(MemoryFiles& files) {
    auto opened = SharedCounters::open(options_, std::make_unique<BorrowedFiles>(files), clock_,
                                       random_, logger_);
    EXPECT_TRUE(opened);
    return *std::move(opened);
  }
  void deliver_at_last(SharedCounters& store) {
    while (!store.deliver(soon())) std::this_thread::yield();
  }
};

TEST_F(SharedCountersAwayTest, KeepsWhatWasCountedWhileRedisIsAway) {
  const CounterKey host = key_of("example.org");
  RandomCalls calls(1);
  {
    const Store store = open();
    add(*store, {{host}, {pair_of("a", "b")}, message()});
    deliver(*store);
    redis_.kill9();
    for (int i = 0; i < 50; ++i) add(*store, calls.next());
    const CounterAnswers answers = store->ask({&host, 1}, kWindows, soon());
    EXPECT_FALSE(answers.known[0]) << "unknown, not zero";
    EXPECT_FALSE(store->series(host, soon()));
    EXPECT_FALSE(store->forget({&host, 1}, soon()));
    MetricReport report;
    store->report(report);
    EXPECT_EQ(report.total("shingled_counters_shared"), 0);
    EXPECT_GE(report.total("shingled_counters_unknown"), 2);
    EXPECT_GT(report.total("shingled_counters_journal_bytes"), 0);
  }
  EXPECT_EQ(logs(), 1U);
  ASSERT_TRUE(redis_.start());
  const Store store = open();
  deliver_at_last(*store);
  EXPECT_EQ(logs(), 0U);
  expect_oracle(*store);
  EXPECT_THAT(logger_.events(), ElementsAre("counters_redis_away"))
      << "by the first store; the second one has not seen Redis away";
}

TEST_F(SharedCountersAwayTest, OnlyAnAnswerOfRedisSaysThatItIsBack) {
  const CounterKey host = key_of("example.org");
  const Store store = open();
  add(*store, {{host}, {}, message()});
  deliver(*store);
  redis_.kill9();
  EXPECT_FALSE(store->ask({&host, 1}, kWindows, soon()).known[0]);
  EXPECT_TRUE(store->verify({})) << "nothing is known about the mark";
  EXPECT_THAT(logger_.events(), ElementsAre("counters_redis_away"));
  ASSERT_TRUE(redis_.start());
  // It may be up before the pause after the failure is over.
  EXPECT_TRUE(testing::eventually([&] {
    EXPECT_TRUE(store->verify({}));
    return logger_.events().size() > 1;
  }));
  EXPECT_THAT(logger_.events(), ElementsAre("counters_redis_away", "counters_redis_back"));
}

TEST_F(SharedCountersAwayTest, SendsAtTheStartWhatAnotherProcessLeft) {
  options_.cache = seconds(60);
  const CounterKey host = key_of("example.org");
  redis_.kill9();
  {
    const Store store = open();
    add(*store, {{host}, {}, message()});
  }
  EXPECT_EQ(logs(), 1U);
  ASSERT_TRUE(redis_.start());
  const Store store = open();
  const Window all{Period::Unit::kDay, 14, 0};
  CounterAnswers answers;
  do {
    answers = store->ask({&host, 1}, {&all, 1}, soon());
  } while (!answers.known[0]);
  EXPECT_EQ(answers.of(0, 0).of(Measure::kMass), 1U) << "unknown or right, never less";
}

TEST_F(SharedCountersAwayTest, WithoutAJournalItSaysWhatItCouldNotImport) {
  options_.journal_max = 0;
  const Store store = open();
  const counters::CounterSeries series{key_of("a"),
                                       {{{Period::Unit::kSlot, store->present_slot()}, message()}}};
  ASSERT_TRUE(store->import({&series, 1}, soon()));
  EXPECT_EQ(mass(*open(1), key_of("a")), 1U);
  EXPECT_TRUE(store->settle(soon()));
  ASSERT_TRUE(store->add({{key_of("a")}, {}, message()}, soon())) << "it is only in memory";
  redis_.kill9();
  EXPECT_FALSE(store->settle(soon()));
  EXPECT_FALSE(store->scan()) << "Redis alone would lack it";
  EXPECT_FALSE(store->import({&series, 1}, soon()));
}

TEST_F(SharedCountersAwayTest, SaysOnceThatRedisIsAwayAndBack) {
  const Store store = open();
  RandomCalls calls(2);
  for (int round = 0; round < 3; ++round) {
    redis_.kill9();
    for (int i = 0; i < 20; ++i) add(*store, calls.next());
    const CounterKey host = key_of("example.org");
    EXPECT_FALSE(store->ask({&host, 1}, kWindows, soon()).known[0]);
    ASSERT_TRUE(redis_.start());
    deliver_at_last(*store);
    expect_oracle(*store);
  }
  EXPECT_THAT(logger_.events(),
              ElementsAre("counters_redis_away", "counters_redis_back", "counters_redis_away",
                          "counters_redis_back", "counters_redis_away", "counters_redis_back"));
}

TEST_F(SharedCountersAwayTest, AnswersByTheDeadlineWhenRedisIsFrozen) {
  const Store store = open();
  const CounterKey host = key_of("example.org");
  add(*store, {{host}, {}, message()});
  deliver(*store);
  redis_.freeze();
  const CounterAnswers answers = store->ask({&host, 1}, kWindows, clock_.now() + milliseconds(30));
  EXPECT_FALSE(answers.known[0]);
  const Addition addition{{host}, {pair_of("a", "b")}, message()};
  const Slot slot = store->present_slot();
  EXPECT_TRUE(store->add(addition, clock_.now() + milliseconds(30))) << "it is in the journal";
  oracle_.add(addition, slot);
  redis_.thaw();
  deliver_at_last(*store);
  expect_oracle(*store);
}

// Which pairs are new, only Redis can say. So while one waits whose call has returned, nobody
// knows.
TEST_F(SharedCountersAwayTest, PairsThatWaitAreUnknownAndNotMissing) {
  options_.redis.timeout = milliseconds(200);
  const Store store = open();
  // On a busy machine the pair may be there before the first question.
  std::size_t unknown = 0;
  for (int round = 0; unknown == 0 && round < 50; ++round) {
    const Pair pair = pair_of(std::to_string(round), "b");
    const std::vector<CounterKey> keys = {pair.key, pair.unique_key(),
                                          key_of(std::to_string(round))};
    ASSERT_TRUE(store->ask(keys, kWindows, soon()).known[0]);
    redis_.freeze();
    ASSERT_TRUE(store->add({{keys[2]}, {pair}, message()}, clock_.now() + milliseconds(20)));
    redis_.thaw();
    for (;;) {
      const CounterAnswers answers = store->ask(keys, kWindows, soon());
      for (std::size_t k = 0; k < keys.size(); ++k) {
        const std::uint64_t got = answers.of(k, 0).of(Measure::kMass);
        ASSERT_EQ(got, answers.known[k] ? 1U : got) << k;
      }
      if (answers.known[0]) break;
      ++unknown;
      std::this_thread::yield();
    }
  }
  EXPECT_GT(unknown, 0U);
}

// A power cut while Redis is away: also the log that was complete just before.
TEST_F(SharedCountersAwayTest, WhatWaitsIsOnTheDiskAfterASecond) {
  MemoryFiles files;
  const Store store = open_in(files);
  redis_.kill9();
  ASSERT_TRUE(store->add({{key_of("a")}, {}, message()}, soon()));
  // The delivery that fails begins a new log.
  while (files.unsynced_bytes() > 0) EXPECT_FALSE(store->deliver(soon()));
  EXPECT_FALSE(files.names()->empty());
}

// All calls of some exchanges are made, but their replies are lost, or some are not made.
TEST_F(SharedCountersAwayTest, CountsOnceWhenRepliesAreLost) {
  testing::CuttingProxy proxy(redis_.socket(), 5, 7);
  ASSERT_TRUE(proxy.ok());
  options_.redis.servers = {proxy.address()};
  const Store a = open(0);
  const Store b = open(1);
  RandomCalls calls(3);
  while (proxy.cuts() < 40) {
    for (int i = 0; i < 3; ++i) add(calls.below(2) == 0 ? *a : *b, calls.next());
    if (calls.below(3) == 0) static_cast<void>(a->deliver(soon()));
    if (calls.below(3) == 0) static_cast<void>(b->deliver(soon()));
  }
  deliver_at_last(*a);
  deliver_at_last(*b);
  options_.redis.servers = {redis_.address()};
  expect_oracle(*open(2));
}

// A generation is many calls, of which some are made: replies are lost, Redis refuses.
TEST_F(SharedCountersAwayTest, CountsEachOfManyCallsOnce) {
  testing::CuttingProxy proxy(redis_.socket(), 8, 9);
  ASSERT_TRUE(proxy.ok());
  options_.redis.servers = {proxy.address()};
  const Store store = open();
  RandomCalls random(10);
  constexpr unsigned kKeys = 6000;
  const auto make = [&] {
    Addition addition{{}, {}, message(random.below(5000))};
    for (unsigned i = 0; i < 500; ++i)
      addition.counters.push_back(key_of("n" + std::to_string(random.below(kKeys))));
    return addition;
  };
  while (proxy.cuts() < 15) {
    for (int i = 0; i < 12; ++i) add(*store, make());
    std::jthread redis([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        redis_.ask({"CONFIG", "SET", "maxmemory", "1"});
        redis_.ask({"CONFIG", "SET", "maxmemory", "0"});
      }
    });
    for (int i = 0; i < 3; ++i) static_cast<void>(store->deliver(soon()));
  }
  deliver_at_last(*store);
  options_.redis.servers = {redis_.address()};
  expect_oracle(*open(1));
}

TEST_F(SharedCountersAwayTest, GoesOnWithARedisThatHasForgottenAll) {
  const Store store = open();
  const CounterKey host = key_of("example.org");
  add(*store, {{host}, {pair_of("a", "b")}, message()});
  deliver(*store);
  redis_.ask({"FLUSHALL"});
  redis_.ask({"SCRIPT", "FLUSH"});
  ASSERT_TRUE(store->add({{host}, {pair_of("a", "b")}, message()}, soon()));
  deliver(*store);
  const Store other = open(1);
  EXPECT_EQ(mass(*other, host), 1U);
  EXPECT_EQ(mass(*other, pair_of("a", "b").unique_key()), 1U);
}

TEST_F(SharedCountersAwayTest, WithoutAJournalItRefusesWhileRedisIsAway) {
  options_.journal_max = 0;
  const Store store = open();
  add(*store, {{key_of("a")}, {}, message()});
  deliver(*store);
  expect_oracle(*store);
  redis_.kill9();
  const CounterKey host = key_of("a");
  EXPECT_FALSE(store->ask({&host, 1}, kWindows, soon()).known[0]);
  const Status refused = store->add({{key_of("a")}, {}, message()}, soon());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
}

TEST_F(SharedCountersAwayTest, LosesTheOldestBeyondTheBoundOfTheJournal) {
  options_.journal_max = 100'000;
  const Store store = open();
  redis_.kill9();
  const CounterKey host = key_of("example.org");
  EXPECT_FALSE(store->ask({&host, 1}, kWindows, soon()).known[0]);
  std::uint64_t most = 0;
  MetricReport last;
  for (int i = 0; i < 5000; ++i) {
    ASSERT_TRUE(store->add({{key_of(std::to_string(i))}, {pair_of("a", "b")}, message()}, soon()));
    MetricReport report;
    store->report(report);
    most =
        std::max(most, static_cast<std::uint64_t>(report.total("shingled_counters_journal_bytes")));
    last = report;
  }
  EXPECT_LE(most, options_.journal_max);
  EXPECT_GT(last.total("shingled_counters_journal_lost_bytes"), 100'000);
  EXPECT_THAT(logger_.events(), ElementsAre("counters_redis_away", "counters_journal_full"));
  ASSERT_TRUE(redis_.start());
  deliver_at_last(*store);
  EXPECT_EQ(mass(*store, key_of("0")), 0U);
  EXPECT_EQ(mass(*store, key_of("4999")), 1U);
  EXPECT_EQ(mass(*store, pair_of("a", "b").unique_key()), 1U);
  EXPECT_EQ(logs(), 0U);
}

TEST_F(SharedCountersAwayTest, AFullDiskRefusesAndThenGoesOn) {
  MemoryFiles files;
  Store store = open_in(files);
  RandomCalls calls(5);
  for (int round = 0; round < 20; ++round) {
    add(*store, {{key_of("a")}, {pair_of("a", "b")}, message()});
    files.fail_at(calls.below(3));
    for (int i = 0; i < 5; ++i) {
      const Addition addition = {{key_of("b")}, {pair_of("a", "b")}, message()};
      const Slot slot = store->present_slot();
      if (store->add(addition, soon())) oracle_.add(addition, slot);
    }
    EXPECT_FALSE(store->add({{key_of("b")}, {pair_of("a", "b")}, message()}, soon()));
    files.repair();
    if (round % 3 == 0) deliver_at_last(*store);
  }
  store.reset();
  store = open_in(files);
  deliver_at_last(*store);
  expect_oracle(*store);
  EXPECT_TRUE(files.names()->empty());
}

TEST_F(SharedCountersAwayTest, LosesNothingThatReturnedWhenItIsKilled) {
  const CounterKey host = key_of("example.org");
  options_.flush = milliseconds(10);  // so that it is killed while it sends
  RandomCalls random(6);
  std::uint64_t returned = 0;
  constexpr int kRounds = 15;
  // Counters of each call; so many that a generation is sent in several calls.
  constexpr int kOnce = 100;
  const auto once = [](const std::string& call, int i) {
    return key_of(call + "/" + std::to_string(i));
  };
  std::vector<CounterKey> last;
  for (int round = 0; round < kRounds; ++round) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const Store store = open();
      for (int i = 0; store != nullptr; ++i) {
        const std::string second = std::to_string(round) + "/" + std::to_string(i);
        Addition addition{{host}, {pair_of("s", second)}, message()};
        for (int k = 0; k < kOnce; ++k) addition.counters.push_back(once(second, k));
        if (!store->add(addition, soon())) break;
        if (::write(pipe[1], "x", 1) != 1) break;
      }
      ::_exit(1);
    }
    ::close(pipe[1]);
    const unsigned wanted = 20 + random.below(150);
    std::array<char, 1> byte{};
    for (unsigned i = 0; i < wanted; ++i) ASSERT_EQ(::read(pipe[0], byte.data(), 1), 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    int calls = static_cast<int>(wanted);
    while (::read(pipe[0], byte.data(), 1) == 1) ++calls;
    ::close(pipe[0]);
    returned += static_cast<unsigned>(calls);
    for (int i = 0; i <= calls; ++i)
      last.push_back(once(std::to_string(round) + "/" + std::to_string(i), kOnce - 1));
  }
  const Store store = open();
  deliver_at_last(*store);
  const std::uint64_t counted = mass(*store, host);
  EXPECT_GE(counted, returned);
  EXPECT_LE(counted, returned + kRounds) << "of each run one call that did not return";
  EXPECT_EQ(mass(*store, pair_of("s", "").unique_key()), counted) << "a call is whole";
  std::uint64_t of_last = 0;
  for (const CounterKey& key : last) {
    const std::uint64_t each = mass(*store, key);
    EXPECT_LE(each, 1U) << "once";
    of_last += each;
  }
  EXPECT_EQ(of_last, counted) << "a call is whole";
  EXPECT_EQ(logs(), 0U);
}

}  // namespace
}  // namespace shingled::storage::redis
