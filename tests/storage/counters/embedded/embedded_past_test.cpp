// Covers storage/counters/compactor/past_counters.cpp and storage/counters/live/live_counters.cpp:
// what happens at the same time, and what fails.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/storage/counters/embedded/embedded_fixture.h"
#include "tests/storage/sqlite/base/faulty_vfs.h"
#include "tests/support/borrowed_files.h"

namespace shingled::storage::counters {
namespace {

using testing::BorrowedFiles;
using EmbeddedPastTest = EmbeddedCountersTest;

Addition pair_addition(std::uint64_t recipient) {
  return {{}, {{{recipient * 0x9E37'79B9'7F4A'7C15, PieceType::kSenderRecipient}, 71}}, message()};
}

TEST_F(EmbeddedPastTest, PairIsNewInItsSlotAndOnceOnItsDayWheneverItIsLearnt) {
  open();
  clock_.advance(std::chrono::hours(3));
  add(pair_addition(1));
  const Slot now = counters_->present_slot();
  const std::vector<PastAddition> past = {{now - 2, pair_addition(1)}, {now - 2, pair_addition(1)},
                                          {now - 2, pair_addition(2)}, {now - 1, pair_addition(2)},
                                          {now, pair_addition(1)},     {now, pair_addition(3)}};
  for (int time = 0; time < 2; ++time) {
    ASSERT_TRUE(counters_->learn(past));
    for (const PastAddition& each : past) oracle_.add(each.addition, each.slot);
    expect_oracle();
    open();
    expect_oracle();
  }
}

TEST_F(EmbeddedPastTest, WhatIsTooOldIsLeftOutAndTheFutureIsAnError) {
  open();
  const Slot now = counters_->present_slot();
  ASSERT_TRUE(counters_->learn(std::vector<PastAddition>{
      {now - 15 * kSlotsPerDay, {{{5, PieceType::kFrom}}, {}, message()}}}));
  const Status future = counters_->learn(std::vector<PastAddition>{{now + 1, pair_addition(1)}});
  ASSERT_FALSE(future);
  EXPECT_EQ(future.error().code, ErrorCode::kInvalid);
  const std::vector<CounterSeries> tomorrow = {
      {{5, PieceType::kFrom}, {{{Period::Unit::kDay, day_of(now) + 1}, message()}}}};
  EXPECT_FALSE(counters_->import(tomorrow));
  EXPECT_EQ(counters_->status().rows, 0U);
}

TEST_F(EmbeddedPastTest, WhoAddsWhileAFileIsMadeCountsEachPairOnce) {
  BorrowedFiles hooked(files_);
  EmbeddedCounterOptions options;
  options.directory = directory_.path();
  for (const bool fails : {false, true}) {
    for (int time = 0; time < 2; ++time) {
      auto opened = EmbeddedCounters::open(options, hooked, clock_);
      ASSERT_TRUE(opened);
      counters_ = *std::move(opened);
      clock_.advance(std::chrono::minutes(10));
      add(pair_addition(4));
      const Slot now = counters_->present_slot();
      const std::vector<PastAddition> past = {{now - 1, pair_addition(4)},
                                              {now - 1, pair_addition(5)},
                                              {now, pair_addition(6)},
                                              {now, pair_addition(7)}};
      hooked.hook = [&](BorrowedFiles::Call call, const std::string& name) {
        if (call != BorrowedFiles::Call::kCreate || !name.ends_with(".tmp")) return;
        for (std::uint64_t recipient = 4; recipient <= 6; ++recipient)
          add(pair_addition(recipient));
        if (fails) files_.fail_at(0);
      };
      const Status learnt = counters_->learn(past);
      hooked.hook = nullptr;
      files_.repair();
      EXPECT_EQ(!learnt, fails);
      if (learnt)
        for (const PastAddition& each : past) oracle_.add(each.addition, each.slot);
      expect_oracle();
      maintain();
      expect_oracle();
      counters_.reset();
      open();
      expect_oracle();
      counters_.reset();
    }
  }
}

TEST_F(EmbeddedPastTest, DiskThatFailsAtAnyWriteLearnsImportsAndForgetsAllOrNothing) {
  for (std::uint64_t write = 0, reached = 3; reached != 0; ++write) {
    reached = 0;
    open();
    clock_.advance(std::chrono::minutes(10));
    add(pair_addition(write));
    const Slot now = counters_->present_slot();
    const auto with_fault = [&](const std::function<Status()>& work) {
      const std::uint64_t before = files_.writes();
      files_.fail_at(write);
      Status done = work();
      if (files_.writes() - before > write) ++reached;
      files_.repair();
      return bool(done);
    };
    const std::vector<PastAddition> past = {{now - 1, pair_addition(write)},
                                            {now, pair_addition(write + 1)}};
    if (with_fault([&] { return counters_->learn(past); }))
      for (const PastAddition& each : past) oracle_.add(each.addition, each.slot);
    expect_oracle();
    const CounterSeries series{pair_addition(write + 2).pairs[0].key,
                               {{{Period::Unit::kSlot, now}, message()}}};
    if (with_fault([&] { return counters_->import(std::span(&series, 1)); }))
      oracle_.import(series);
    expect_oracle();
    const CounterKey key = pair_addition(write).pairs[0].key;
    if (with_fault([&] { return counters_->forget(std::span(&key, 1)); })) oracle_.forget(key);
    expect_oracle();
    open();
    expect_oracle();
    maintain();
    expect_oracle();
    ASSERT_LT(write, 100U);
  }
}

TEST_F(EmbeddedPastTest, CatalogueThatFailsAtAnyWriteLosesNothingEither) {
  sqlite::FaultyVfs disk;
  for (std::int64_t write = 0, reached = 1; reached != 0; ++write) {
    reached = 0;
    open();
    clock_.advance(std::chrono::minutes(10));
    const auto recipient = static_cast<std::uint64_t>(write);
    add(pair_addition(recipient));
    const Slot now = counters_->present_slot();
    const auto with_fault = [&](const std::function<Status()>& work) {
      const std::int64_t before = disk.writes();
      disk.fail_after(write, SQLITE_FULL);
      Status done = work();
      if (disk.writes() - before > write) ++reached;
      disk.heal();
      return bool(done);
    };
    const PastAddition past{now - 1, pair_addition(recipient)};
    if (with_fault([&] { return counters_->learn(std::span(&past, 1)); }))
      oracle_.add(past.addition, past.slot);
    expect_oracle();
    const CounterKey key = pair_addition(recipient / 2).pairs[0].key;
    if (with_fault([&] { return counters_->forget(std::span(&key, 1)); })) oracle_.forget(key);
    expect_oracle();
    with_fault([&] { return counters_->maintain({}); });
    expect_oracle();
    maintain();
    expect_oracle();
    open();
    expect_oracle();
    EXPECT_EQ(counters_->status().files_lost, 0U);
    ASSERT_LT(write, 100);
  }
  counters_.reset();  // before the disk
}

TEST_F(EmbeddedPastTest, ForgottenCounterCountsAgainFromThenOnAndLeavesNoTrace) {
  open();
  const CounterKey key{5, PieceType::kFrom};
  const auto add_everything = [&] {
    add({{key, {6, PieceType::kFrom}}, {}, message()});
    add(pair_addition(1));
  };
  add_everything();
  clock_.advance(std::chrono::minutes(10));
  maintain();
  add_everything();
  const std::vector<CounterKey> keys = {key, pair_addition(1).pairs[0].key};
  ASSERT_TRUE(counters_->forget(keys));
  for (const CounterKey& each : keys) oracle_.forget(each);
  expect_oracle();
  EXPECT_TRUE(counters_->series(key)->empty());
  add_everything();
  expect_oracle();
  open();
  expect_oracle();
  EXPECT_EQ(counters_->status().forgotten, 2U);
  for (int slot = 0; slot < 8; ++slot) {
    clock_.advance(std::chrono::minutes(10));
    add_everything();
    maintain();
    expect_oracle();
  }
  EXPECT_EQ(counters_->status().forgotten, 0U) << "all files were merged";
  open();
  expect_oracle();
}

TEST_F(EmbeddedPastTest, PairsAreExactWhileManyThreadsAddAndOthersLearnAndMaintain) {
  open();
  clock_.advance(std::chrono::hours(3));
  const Slot now = counters_->present_slot();
  constexpr std::uint64_t kRounds = 150;
  constexpr std::uint64_t kRecipients = 400;
  std::atomic<bool> ends{false};
  std::vector<std::jthread> threads;
  for (std::uint64_t thread = 0; thread < 3; ++thread)
    threads.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < 20 * kRounds; ++i)
        EXPECT_TRUE(counters_->add(pair_addition((i * 7 + thread) % kRecipients)));
    });
  threads.emplace_back([&] {
    for (std::uint64_t i = 0; i < kRounds / 5; ++i)
      EXPECT_TRUE(counters_->learn(std::vector<PastAddition>{
          {now - static_cast<Slot>(i % 3), pair_addition(i * 31 % kRecipients)},
          {now - 1, pair_addition(i * 17 % kRecipients)}}));
  });
  std::jthread upkeep([&] {
    const std::vector<CounterKey> keys = {pair_addition(1).pairs[0].unique_key()};
    while (!ends) {
      EXPECT_TRUE(counters_->maintain({}));
      EXPECT_TRUE(counters_->ask(keys, kWindows).known[0]);
      EXPECT_TRUE(counters_->sync());
    }
  });
  for (std::jthread& thread : threads) thread.join();
  ends = true;
  upkeep.join();
  for (std::uint64_t thread = 0; thread < 3; ++thread)
    for (std::uint64_t i = 0; i < 20 * kRounds; ++i)
      oracle_.add(pair_addition((i * 7 + thread) % kRecipients), now);
  for (std::uint64_t i = 0; i < kRounds / 5; ++i) {
    oracle_.add(pair_addition(i * 31 % kRecipients), now - static_cast<Slot>(i % 3));
    oracle_.add(pair_addition(i * 17 % kRecipients), now - 1);
  }
  expect_oracle();
  open();
  expect_oracle();
}

TEST_F(EmbeddedCountersTest, APairForgottenTwiceCountsTheSameAfterARestart) {
  open();
  Addition one;
  one.pairs = {{{77, PieceType::kSenderRecipient}, 55}};
  one.amounts = message();
  add(one);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(counters_->forget(std::vector{one.pairs[0].key}));
    oracle_.forget(one.pairs[0].key);
    add(one);
  }
  expect_oracle();
  open();
  expect_oracle();
}

}  // namespace
}  // namespace shingled::storage::counters
