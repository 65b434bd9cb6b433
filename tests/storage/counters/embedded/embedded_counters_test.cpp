// Covers storage/counters/view/counter_reader.cpp, storage/counters/view/view.cpp,
// storage/counters/live/live_counters.cpp and storage/counters/sealed/sealed_files.cpp, too.
#include "storage/counters/embedded/embedded_counters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/storage/counters/embedded/embedded_fixture.h"

namespace shingled::storage::counters {
namespace {

TEST_F(EmbeddedCountersTest, UserWhoWritesTwiceToOneAndOnceToAnotherHasTwoRecipients) {
  open();
  const std::uint64_t user = 71;
  for (const std::uint64_t recipient : {1U, 1U, 2U})
    add({{{user, PieceType::kSender}},
         {{{recipient, PieceType::kSenderRecipient}, user}},
         message()});
  const std::vector<CounterKey> keys = {{1, PieceType::kSenderRecipient},
                                        {2, PieceType::kSenderRecipient},
                                        {user, PieceType::kUniqueRecipients}};
  const CounterAnswers answers = counters_->ask(keys, kWindows);
  EXPECT_EQ(answers.of(0, 0).of(Measure::kMass), 2U);
  EXPECT_EQ(answers.of(1, 0).of(Measure::kMass), 1U);
  EXPECT_EQ(answers.of(2, 0).of(Measure::kMass), 2U);
  expect_oracle();
}

TEST_F(EmbeddedCountersTest, PairIsNewInEachTenMinutesButOnceOnADay) {
  open();
  const Addition addition{{}, {{{1, PieceType::kSenderRecipient}, 71}}, message()};
  add(addition);
  clock_.advance(std::chrono::minutes(10));
  add(addition);
  const std::vector<CounterKey> keys = {{71, PieceType::kUniqueRecipients}};
  const CounterAnswers answers = counters_->ask(keys, kWindows);
  EXPECT_EQ(answers.of(0, 1).of(Measure::kMass), 2U);  // ten minutes and ten minutes
  EXPECT_EQ(answers.of(0, 4).of(Measure::kMass), 1U);  // the day
  expect_oracle();
}

TEST_F(EmbeddedCountersTest, RestartLosesNothing) {
  open();
  add({{{5, PieceType::kFrom}, {6, PieceType::kLink}}, {}, message(70'000, 3)});
  open();
  expect_oracle();
  add({{{5, PieceType::kFrom}}, {}, message()});
  clock_.advance(std::chrono::minutes(10));
  maintain();
  open();
  expect_oracle();
}

TEST_F(EmbeddedCountersTest, FullDiskRefusesTheCallAndLaterCallsCountAgain) {
  open();
  add({{{5, PieceType::kFrom}}, {}, message()});
  files_.fail_at(0);
  EXPECT_FALSE(counters_->add({{{5, PieceType::kFrom}}, {}, message()}));
  expect_oracle();
  files_.repair();
  add({{{5, PieceType::kFrom}}, {}, message()});
  expect_oracle();
}

TEST_F(EmbeddedCountersTest, DiskThatFailsAtAnyWriteOfSealingLosesNothing) {
  for (std::uint64_t write = 0;; ++write) {
    open();
    add({{{write, PieceType::kFrom}}, {{{write % 3, PieceType::kLinkFrom}, 9}}, message(write)});
    clock_.advance(std::chrono::minutes(10));
    const std::uint64_t before = files_.writes();
    files_.fail_at(write);
    const Status done = counters_->maintain({});
    const bool reached = files_.writes() - before > write;
    files_.repair();
    // What fails may also be the removal of a file that was merged, which is no error.
    if (!done) {
      EXPECT_TRUE(reached) << write;
    }
    expect_oracle();
    open();
    expect_oracle();
    maintain();
    expect_oracle();
    if (!reached) break;
    ASSERT_LT(write, 200U);
  }
}

TEST_F(EmbeddedCountersTest, DamagedBlockMakesItsCountersUnknownNotZero) {
  open();
  for (std::uint64_t i = 1; i <= 2000; ++i)
    add({{{i * 0x9E37'79B9'7F4A'7C15, PieceType::kFrom}}, {}, message()});
  clock_.advance(std::chrono::minutes(10));
  maintain();
  counters_.reset();
  files_.content("1.counts")[5000] ^= 1;
  open();
  const std::vector<CounterKey> keys = oracle_.keys();
  const CounterAnswers answers = counters_->ask(keys, kWindows);
  std::size_t unknown = 0;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (!answers.known[k])
      ++unknown;
    else
      EXPECT_EQ(answers.of(k, 1).of(Measure::kMass), 1U);
  }
  EXPECT_GT(unknown, 100U);
  EXPECT_LT(unknown, 1500U);
  EXPECT_FALSE(counters_->verify({}));
}

TEST_F(EmbeddedCountersTest, LostFileMakesCountersUnknownUntilItWouldBeTooOld) {
  for (const bool is_gone : {true, false}) {
    open();
    add({{{5, PieceType::kFrom}}, {{{1, PieceType::kLinkFrom}, 9}}, message()});
    clock_.advance(std::chrono::minutes(10));
    maintain();
    const std::string name = *files_.names()->begin();
    counters_.reset();
    if (is_gone) {
      ASSERT_TRUE(files_.remove(name));
    } else {
      files_.content(name).back() ^= 1;
    }
    open();
    const std::vector<CounterKey> keys = {{5, PieceType::kFrom}, {6, PieceType::kFrom}};
    EXPECT_EQ(counters_->ask(keys, kWindows).known, (std::vector<bool>{false, false}));
    const auto series = counters_->series(keys[0]);
    ASSERT_FALSE(series);
    EXPECT_NE(series.error().message.find(name), std::string::npos);
    EXPECT_FALSE(counters_->verify({}));
    EXPECT_EQ(counters_->status().files_lost, 1U);
    EXPECT_EQ(counters_->status().lost.size(), 1U);
    ASSERT_TRUE(
        counters_->add({{{5, PieceType::kFrom}}, {{{1, PieceType::kLinkFrom}, 9}}, message()}));

    clock_.advance(std::chrono::hours(24));
    maintain();
    const std::vector<Window> of_today = {{Period::Unit::kDay, 1, 0}};
    EXPECT_EQ(counters_->ask(keys, of_today).known, (std::vector<bool>{true, true}));
    for (int day = 0; day < 16; ++day) {
      clock_.advance(std::chrono::hours(24));
      maintain();
    }
    EXPECT_EQ(counters_->status().files_lost, 0U);
    EXPECT_EQ(counters_->ask(keys, kWindows).known, (std::vector<bool>{true, true}));
    EXPECT_FALSE(files_.has(name));
    oracle_ = {};
  }
}

TEST_F(EmbeddedCountersTest, LogThatIsNoLogIsPutAside) {
  open();
  add({{{5, PieceType::kFrom}}, {}, message()});
  counters_.reset();
  files_.content("1.log")[3] ^= 1;
  open();
  EXPECT_EQ(counters_->status().logs_lost, 1U);
  EXPECT_FALSE(files_.has("1.log"));
  EXPECT_TRUE(files_.has("1.log.damaged"));
  oracle_ = {};
  add({{{5, PieceType::kFrom}}, {}, message()});
  expect_oracle();
}

TEST_F(EmbeddedCountersTest, DamagedFileIsSetAsideAndTheRestIsMerged) {
  open();
  const auto add_slot = [&](std::uint64_t first) {
    for (std::uint64_t i = 1; i <= 500; ++i)
      add({{{(first + i) * 0x9E37'79B9'7F4A'7C15, PieceType::kFrom}}, {}, message()});
    clock_.advance(std::chrono::minutes(10));
    maintain();
  };
  add_slot(0);
  counters_.reset();
  files_.content("1.counts")[100] ^= 1;
  open();
  for (std::uint64_t i = 1; i <= 500; ++i)
    add({{{i * 0xD1B5'4A32'D192'ED03, PieceType::kFrom}}, {}, message()});
  clock_.advance(std::chrono::minutes(10));
  maintain();  // a merge finds it
  EXPECT_EQ(counters_->status().files_damaged, 1U);
  maintain();
  EXPECT_EQ(counters_->status().files_damaged, 0U);
  EXPECT_GE(counters_->status().gaps, 1U);
  EXPECT_TRUE(files_.has("1.counts.damaged"));
  EXPECT_TRUE(counters_->verify({}));
  for (std::uint64_t slot = 4; slot < 6; ++slot) add_slot(1000 * slot);
  EXPECT_LE(counters_->status().files, 3U);
}

TEST_F(EmbeddedCountersTest, FileThatNobodyNamesIsRemovedAtTheStart) {
  open();
  counters_.reset();
  ASSERT_TRUE(files_.create("77.counts"));
  ASSERT_TRUE(files_.create("78.counts.tmp"));
  ASSERT_TRUE(files_.create("notes.txt"));
  open();
  EXPECT_FALSE(files_.has("77.counts"));
  EXPECT_FALSE(files_.has("78.counts.tmp"));
  EXPECT_TRUE(files_.has("notes.txt"));
}

TEST_F(EmbeddedCountersTest, TwoStoresOnOneFolderAreAnError) {
  open();
  EmbeddedCounterOptions options;
  options.directory = directory_.path();
  testing::MemoryFiles others;
  EXPECT_FALSE(EmbeddedCounters::open(options, others, clock_));
}

TEST_F(EmbeddedCountersTest, PowerCutLosesWhatWasNotSyncedAndNothingHalf) {
  open();
  add({{{1, PieceType::kFrom}, {2, PieceType::kLink}}, {}, message()});
  ASSERT_TRUE(counters_->sync());
  ASSERT_TRUE(counters_->add({{{1, PieceType::kFrom}, {2, PieceType::kLink}}, {}, message()}));
  counters_.reset();
  files_.cut_power();
  open();
  expect_oracle();
}

TEST_F(EmbeddedCountersTest, FullMemoryRefusesUntilATableCouldBeSealed) {
  options_.memory_max = 400'000;
  open();
  std::uint64_t shingle = 0;
  const auto add_next = [&]() -> Status {
    shingle += 0x9E37'79B9'7F4A'7C15;
    const Addition addition{{{shingle, PieceType::kLink}}, {}, message()};
    const Slot slot = counters_->present_slot();
    Status added = counters_->add(addition);
    if (added) oracle_.add(addition, slot);
    return added;
  };
  Status added;
  for (int i = 0; i < 100'000 && added; ++i) added = add_next();
  ASSERT_FALSE(added) << "nobody has sealed meanwhile";
  EXPECT_EQ(added.error().code, ErrorCode::kLimit);
  EXPECT_LT(counters_->status().memory_bytes, 2 * options_.memory_max);
  maintain();
  EXPECT_TRUE(add_next());
  expect_oracle();
}

TEST_F(EmbeddedCountersTest, TooManyCountersInOneCallAreInvalid) {
  open();
  Addition addition{{}, {}, message()};
  addition.counters.assign(kAdditionKeysMax + 1, {1, PieceType::kLink});
  const Status added = counters_->add(addition);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(counters_->status().live_counters, 0U);
}

TEST_F(EmbeddedCountersTest, FullDiskBoundCostsTenMinutesFirstAndThenCountersOfOne) {
  open();
  for (std::uint64_t i = 1; i <= 3000; ++i)
    add({{{i * 0x9E37'79B9'7F4A'7C15, PieceType::kLink}, {7, PieceType::kFrom}}, {}, message()});
  clock_.advance(std::chrono::hours(24));
  maintain();
  add({{{7, PieceType::kFrom}}, {}, message()});
  clock_.advance(std::chrono::minutes(10));
  options_.disk_max = 4096;
  open();
  maintain();
  const EmbeddedCounterStatus status = counters_->status();
  EXPECT_LE(status.disk_bytes, options_.disk_max);
  EXPECT_GT(status.shrunk, 0U);
  const std::vector<CounterKey> keys = {{7, PieceType::kFrom}};
  EXPECT_EQ(counters_->ask(keys, kWindows).of(0, 5).of(Measure::kMass), 3001U) << "14 days";
}

TEST_F(EmbeddedCountersTest, SeriesHasEveryPeriodHoweverMany) {
  open();
  const CounterKey key{5, PieceType::kFrom};
  for (int slot = 0; slot < 300; ++slot) {
    add({{key}, {}, message()});
    clock_.advance(std::chrono::minutes(10));
  }
  maintain();
  const auto series = counters_->series(key);
  ASSERT_TRUE(series);
  std::uint64_t mass = 0;
  for (const Entry& entry : *series) mass += entry.amounts.of(Measure::kMass);
  EXPECT_EQ(mass, 300U);
}

TEST_F(EmbeddedCountersTest, OldDaysGoAndOldTenMinutesBecomeTheirDay) {
  open();
  add({{{1, PieceType::kFrom}}, {{{1, PieceType::kLinkFrom}, 9}}, message()});
  clock_.advance(std::chrono::minutes(10));
  maintain();
  const std::uint64_t rows = counters_->status().rows;
  for (int day = 0; day < 15; ++day) {
    clock_.advance(std::chrono::hours(24));
    maintain();
    expect_oracle();
  }
  EXPECT_GT(rows, 0U);
  clock_.advance(std::chrono::hours(48));
  maintain();
  EXPECT_EQ(counters_->status().rows, 0U);
}

}  // namespace
}  // namespace shingled::storage::counters
