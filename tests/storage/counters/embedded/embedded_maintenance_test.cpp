// Covers storage/counters/compactor/compactor.cpp: what happens within a merge, and what a wrong
// clock leaves behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/storage/counters/embedded/embedded_fixture.h"
#include "tests/support/borrowed_files.h"

namespace shingled::storage::counters {
namespace {

using testing::BorrowedFiles;

constexpr std::uint64_t kSpread = 0x9E37'79B9'7F4A'7C15;

class EmbeddedMaintenanceTest : public EmbeddedCountersTest {
 protected:
  void open_with(FileSystem& files, const Clock& clock) {
    counters_.reset();
    EmbeddedCounterOptions options = options_;
    options.directory = directory_.path();
    auto opened = EmbeddedCounters::open(options, files, clock);
    ASSERT_TRUE(opened) << opened.error().message;
    counters_ = *std::move(opened);
  }
  void add_one(std::uint64_t shingle) {
    add({{{shingle, PieceType::kFrom}}, {{{shingle, PieceType::kLinkFrom}, 9}}, message()});
  }
  std::uint64_t mass(std::uint64_t shingle) {
    const std::vector<CounterKey> keys = {{shingle, PieceType::kFrom}};
    return counters_->ask(keys, kWindows).of(0, 5).of(Measure::kMass);
  }
};

TEST_F(EmbeddedMaintenanceTest, FreesFilesThatWereMergedInItsOwnThreadWhoeverReadsThemLast) {
  BorrowedFiles hooked(files_);
  open_with(hooked, clock_);
  add_one(1);
  clock_.advance(std::chrono::minutes(10));
  maintain();
  std::size_t unmapped = 0;
  hooked.hook = [&](BorrowedFiles::Call call, const std::string&) {
    if (call == BorrowedFiles::Call::kUnmap) ++unmapped;
  };
  auto reader = counters_->scan();
  EXPECT_TRUE(reader->next());
  add_one(2);
  clock_.advance(std::chrono::minutes(10));
  maintain();
  EXPECT_EQ(counters_->status().files, 1U);
  EXPECT_EQ(unmapped, 1U);  // the second file, which was merged; nobody reads it
  reader.reset();
  EXPECT_EQ(unmapped, 1U);
  maintain();
  EXPECT_EQ(unmapped, 2U);
  expect_oracle();
  hooked.hook = nullptr;
  counters_.reset();  // before its files
}

TEST_F(EmbeddedMaintenanceTest, TablesThatEndWithinAMergeAreSealedBeforeItEnds) {
  BorrowedFiles hooked(files_);
  open_with(hooked, clock_);
  for (std::uint64_t slot = 1; slot <= 2; ++slot) {
    add_one(slot);
    clock_.advance(std::chrono::minutes(10));
    if (slot == 1) maintain();
  }
  // The first file that is begun after both tables are sealed is that of the merge.
  std::string merged;
  std::string sealed;
  bool is_sealed_within = false;
  hooked.hook = [&](BorrowedFiles::Call call, const std::string& name) {
    if (call == BorrowedFiles::Call::kCreate && name.ends_with(".tmp") && merged.empty() &&
        counters_->status().files == 2) {
      merged = name.substr(0, name.size() - 4);
      add_one(3);
      clock_.advance(std::chrono::minutes(10));
      add_one(4);  // begins a table, so that the one before waits
      EXPECT_EQ(counters_->status().tables_unsealed, 1U);
    } else if (call == BorrowedFiles::Call::kRename && !merged.empty() && sealed.empty()) {
      sealed = name;
    } else if (call == BorrowedFiles::Call::kRename && name == merged) {
      is_sealed_within = counters_->status().tables_unsealed == 0;
      expect_oracle();
    }
  };
  maintain();
  hooked.hook = nullptr;
  EXPECT_FALSE(merged.empty());
  EXPECT_NE(sealed, merged);
  EXPECT_TRUE(is_sealed_within);
  expect_oracle();
  open();
  expect_oracle();
}

TEST_F(EmbeddedMaintenanceTest, SealingThatFailsWithinAMergeEndsItAndLosesNothing) {
  BorrowedFiles hooked(files_);
  open_with(hooked, clock_);
  add_one(1);
  clock_.advance(std::chrono::minutes(10));
  maintain();
  add_one(2);
  clock_.advance(std::chrono::minutes(10));
  bool is_begun = false;
  hooked.hook = [&](BorrowedFiles::Call call, const std::string& name) {
    if (call != BorrowedFiles::Call::kCreate || !name.ends_with(".tmp")) return;
    if (is_begun) files_.fail_at(0);
    if (is_begun || counters_->status().files != 2) return;
    is_begun = true;
    add_one(3);
    clock_.advance(std::chrono::minutes(10));
    add_one(4);
  };
  EXPECT_FALSE(counters_->maintain({}));
  EXPECT_TRUE(is_begun);
  hooked.hook = nullptr;
  files_.repair();
  EXPECT_EQ(counters_->status().files, 2U);
  expect_oracle();
  maintain();
  expect_oracle();
  open();
  expect_oracle();
}

TEST_F(EmbeddedMaintenanceTest, WhatAWrongClockPutAheadStaysUntilItsTimeHasComeAndGone) {
  constexpr std::chrono::hours kDay{24};
  SettableClock clock(clock_);
  open_with(files_, clock);
  ASSERT_TRUE(counters_->add({{{5, PieceType::kFrom}}, {}, message()}));
  clock.ahead = 100 * kDay;
  for (std::uint64_t slot = 0; slot < 3; ++slot) {
    ASSERT_TRUE(counters_->add({{{6, PieceType::kFrom}}, {}, message()}));
    clock_.advance(std::chrono::minutes(10));
    maintain();
  }
  clock.ahead = std::chrono::seconds(0);
  for (int slot = 0; slot < 6; ++slot) {
    ASSERT_TRUE(counters_->add({{{5, PieceType::kFrom}}, {}, message()}));
    clock_.advance(std::chrono::minutes(10));
    maintain();
  }
  EXPECT_EQ(mass(5), 7U);
  EXPECT_EQ(mass(6), 0U) << "no window has the future";
  const auto future = counters_->series({6, PieceType::kFrom});
  ASSERT_TRUE(future);
  EXPECT_FALSE(future->empty()) << "no merge has removed it";

  for (int day = 0; day < 101; ++day) {
    clock_.advance(kDay);
    maintain();
  }
  EXPECT_EQ(mass(5), 0U);
  EXPECT_EQ(mass(6), 3U);
  for (int day = 0; day < 20; ++day) {
    clock_.advance(kDay);
    maintain();
  }
  EXPECT_EQ(counters_->status().rows, 0U);
}

TEST_F(EmbeddedMaintenanceTest, ClockThatIsADayAheadForAWhileCostsNoTenMinutes) {
  SettableClock clock(clock_);
  open_with(files_, clock);
  const auto count_slots = [&](std::uint64_t shingle) {
    for (int slot = 0; slot < 3; ++slot) {
      ASSERT_TRUE(counters_->add({{{shingle, PieceType::kFrom}}, {}, message()}));
      clock_.advance(std::chrono::minutes(10));
      maintain();
    }
  };
  count_slots(5);
  clock.ahead = std::chrono::hours(30);
  count_slots(6);
  clock.ahead = std::chrono::seconds(0);
  count_slots(5);
  const std::vector<CounterKey> keys = {{5, PieceType::kFrom}};
  const std::vector<Window> windows = {{Period::Unit::kSlot, 12, 0}};
  EXPECT_EQ(counters_->ask(keys, windows).of(0, 0).of(Measure::kMass), 6U);
}

TEST_F(EmbeddedMaintenanceTest, FilesAreNotMergedWhereTheDiskHasNoRoomForIt) {
  BorrowedFiles hooked(files_);
  open_with(hooked, clock_);
  std::size_t begun = 0;
  hooked.hook = [&](BorrowedFiles::Call call, const std::string& name) {
    if (call == BorrowedFiles::Call::kCreate && name.ends_with(".counts.tmp")) ++begun;
  };
  files_.set_free_bytes(1000);
  constexpr std::size_t kSlots = 6;
  for (std::size_t slot = 1; slot <= kSlots; ++slot) {
    add_one(slot);
    clock_.advance(std::chrono::minutes(10));
    const Status done = counters_->maintain({});
    EXPECT_EQ(slot == 1, static_cast<bool>(done));
    if (!done) {
      EXPECT_EQ(done.error().code, ErrorCode::kUnavailable);
      EXPECT_NE(done.error().message.find(directory_.path()), std::string::npos);
    }
  }
  EXPECT_EQ(counters_->status().files, kSlots) << "tables are sealed all the same";
  EXPECT_EQ(begun, kSlots);
  expect_oracle();
  files_.set_free_bytes(100'000);
  maintain();
  EXPECT_LT(counters_->status().files, kSlots);
  expect_oracle();
}

TEST_F(EmbeddedMaintenanceTest, WhoAddsWhileATableIsBegunDoesNotWaitForTheDisk) {
  BorrowedFiles hooked(files_);
  open_with(hooked, clock_);
  add_one(1);
  clock_.advance(std::chrono::minutes(10));
  const Slot before = counters_->present_slot() - 1;
  int begun = 0;
  hooked.hook = [&](BorrowedFiles::Call call, const std::string& name) {
    if (call != BorrowedFiles::Call::kCreate || !name.ends_with(".log")) return;
    ++begun;
    const Addition other{{{2, PieceType::kFrom}}, {}, message()};
    std::jthread([&] { EXPECT_TRUE(counters_->add(other)); }).join();
    oracle_.add(other, before);
    expect_oracle();
  };
  add_one(3);
  EXPECT_EQ(begun, 1);
  hooked.hook = nullptr;
  expect_oracle();
  open();
  expect_oracle();
}

TEST_F(EmbeddedMaintenanceTest, AtTheBoundOfTheDiskFilesAreSeldomWrittenAgain) {
  BorrowedFiles hooked(files_);
  options_.disk_max = 150'000;
  open_with(hooked, clock_);
  std::uint64_t begun = 0;
  hooked.hook = [&](BorrowedFiles::Call call, const std::string& name) {
    if (call == BorrowedFiles::Call::kCreate && name.ends_with(".counts.tmp")) ++begun;
  };
  const CounterKey frequent{kSpread / 2, PieceType::kFrom};
  std::uint64_t shingle = 0;
  std::uint64_t most = 0;
  constexpr Slot kSlots = 3 * kSlotsPerDay;  // one day has room, three have not
  for (Slot slot = 0; slot < kSlots; ++slot) {
    for (int i = 0; i < 100; ++i)
      ASSERT_TRUE(
          counters_->add({{{++shingle * kSpread, PieceType::kLink}, frequent}, {}, message()}));
    clock_.advance(std::chrono::minutes(10));
    begun = 0;
    maintain();
    ASSERT_LE(counters_->status().disk_bytes, options_.disk_max) << slot;
    most = std::max(most, begun);
  }
  EXPECT_GT(counters_->status().shrunk, 0U);
  EXPECT_LE(most, 20U);
  const std::vector<CounterKey> keys = {frequent};
  EXPECT_EQ(counters_->ask(keys, kWindows).of(0, 5).of(Measure::kMass), 100 * kSlots) << "14 days";
}

TEST_F(EmbeddedMaintenanceTest, BoundOfTheDiskThatCannotBeKeptIsAnErrorAndWritesNothingAgain) {
  BorrowedFiles hooked(files_);
  options_.disk_max = 8192;
  open_with(hooked, clock_);
  for (std::uint64_t shingle = 1; shingle <= 3000; ++shingle)
    for (int i = 0; i < 2; ++i) add({{{shingle * kSpread, PieceType::kLink}}, {}, message()});
  clock_.advance(std::chrono::hours(25));
  const Status first = counters_->maintain({});
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, ErrorCode::kLimit);
  std::uint64_t begun = 0;
  hooked.hook = [&](BorrowedFiles::Call call, const std::string&) {
    if (call == BorrowedFiles::Call::kCreate) ++begun;
  };
  EXPECT_FALSE(counters_->maintain({}));
  EXPECT_EQ(begun, 0U);
  expect_oracle();
}

}  // namespace
}  // namespace shingled::storage::counters
