// Covers storage/sqlite/buckets/bucket_file.cpp.
// Buckets that are kept in a file over restarts.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <random>

#include "storage/buckets/bucket_store.h"
#include "storage/buckets/embedded_buckets.h"
#include "storage/sqlite/base/database.h"
#include "tests/storage/buckets/ideal_bucket.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::buckets {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::IdealBucket;
using testing::ManualClock;

constexpr BucketHashKey kKey{7};

class BucketFlusherTest : public ::testing::Test {
 protected:
  BucketFlusherTest() { start(); }
  /// Starts a new process: with another clock, but the same time of day.
  void start(const std::string& path = "") {
    stop();
    clock_ = std::make_unique<ManualClock>();
    clock_->advance(seconds(++starts_ * 1000 % 7777));
    table_.emplace(1000, kKey, BucketTable::Kept::kInFile);
    auto opened = open(path.empty() ? path_ : path);
    ASSERT_TRUE(opened);
    flusher_ = *std::move(opened);
  }
  Result<std::unique_ptr<BucketFlusher>> open(const std::string& path) {
    return BucketFlusher::open({.path = path,
                                .rows_max = 2000,
                                .slice_rows = 600,
                                .pause = hours(1),
                                .wall =
                                    [this] {
                                      const WallMoment now = wall_;
                                      pass(asking_takes_);
                                      return now;
                                    }},
                               *table_, *clock_, logger_);
  }
  void stop() {
    flusher_.reset();
    table_.reset();
  }
  void pass(Duration time) {
    wall_ += time;
    if (clock_) clock_->advance(time);
  }
  bool take(std::string_view key, const LeakRate& rate, double amount = 1) {
    const BucketDemand what{key, rate, amount};
    return table_->take({&what, 1}, clock_->now()).taken;
  }
  Duration left(std::string_view key) const {
    const auto state = table_->show(key, clock_->now());
    return state ? state->empty_in : Duration::zero();
  }
  std::size_t rows() {
    stop();
    auto file = sqlite::BucketFile::open(path_);
    const std::size_t size = file ? (*file)->size().value_or(0) : 0;
    file = Error{};
    return size;
  }

  Duration asking_takes_{};  ///< for the time of day
  shingled::testing::TemporaryDirectory folder_;
  const std::string path_ = folder_.file("ratelimit.db");
  NullLogger logger_;
  WallMoment wall_{seconds(1'790'000'000) + nanoseconds(123'456'789)};
  int starts_ = 0;
  std::unique_ptr<ManualClock> clock_;
  std::optional<BucketTable> table_;
  std::unique_ptr<BucketFlusher> flusher_;
};

TEST_F(BucketFlusherTest, LeaksWhileTheProcessIsDown) {
  const LeakRate rate(1, 10);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(take("to:a", rate));
  EXPECT_FALSE(take("to:a", rate));
  stop();
  wall_ += milliseconds(3500);
  start();
  EXPECT_EQ(left("to:a"), milliseconds(6500));
  EXPECT_EQ(table_->show("to:a", clock_->now())->rate, rate);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(take("to:a", rate));
  EXPECT_FALSE(take("to:a", rate));
  stop();
  wall_ += seconds(10);
  start();
  EXPECT_EQ(table_->size(), 0U) << "empty buckets are not restored";
}

TEST_F(BucketFlusherTest, KeepsManyBucketsInSeveralSlices) {
  for (int round = 1; round <= 2; ++round) {
    for (int i = 0; i < 900; ++i) {
      ASSERT_TRUE(take("to:" + std::to_string(i), LeakRate(1e-3, 9), 1.0 + i % 3));
    }
    start();
    ASSERT_EQ(table_->size(), 900U);
    for (int i = 0; i < 900; ++i)
      ASSERT_EQ(left("to:" + std::to_string(i)), seconds(1000 * round * (1 + i % 3)));
  }
}

TEST_F(BucketFlusherTest, KeepsDropsAboveTheBurst) {
  const LeakRate rate(1, 10);
  const BucketDemand what{"a", rate, 75, kBurstsMax};
  ASSERT_TRUE(table_->take({&what, 1}, clock_->now()).taken);
  start();
  EXPECT_EQ(left("a"), seconds(75));
  EXPECT_EQ(table_->show("a", clock_->now())->rate, rate);
  EXPECT_FALSE(table_->take({&what, 1}, clock_->now()).taken);
  EXPECT_FALSE(take("a", rate));
  EXPECT_EQ(left("a"), seconds(10));
}

// The law holds over restarts at any moment, with the process down for any time.
TEST_F(BucketFlusherTest, PassesExactlyWhatTheIdealBucketPassesOverRestarts) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20; ++round) {
    const LeakRate rate(0.3 * (1 + static_cast<double>(random() % 50)),
                        static_cast<double>(1 + random() % 9));
    const std::string name = "n" + std::to_string(round);
    IdealBucket ideal(rate.room(), TimePoint(wall_.time_since_epoch()));
    for (int i = 0; i < 60; ++i) {
      pass(Duration(static_cast<Duration::rep>(
          random() % static_cast<std::uint64_t>(rate.time_of(2).count()))));
      if (random() % 8 == 0) start();
      const bool passes = ideal.try_add(i, rate.time_of(1), TimePoint(wall_.time_since_epoch()));
      ASSERT_EQ(take(name, rate), passes) << "round " << round << " step " << i;
    }
  }
}

TEST_F(BucketFlusherTest, LocksNobodyOutWhenTheTimeOfDayWasSetBack) {
  const LeakRate rate(1, 10);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(take("a", rate));
  stop();
  wall_ -= hours(24 * 365);
  start();
  EXPECT_EQ(left("a"), seconds(10)) << "nothing leaked, and the year is not added";
  pass(seconds(4));
  stop();
  wall_ += seconds(1);
  start();
  EXPECT_EQ(left("a"), seconds(5)) << "from now on it counts from the new time";
}

TEST_F(BucketFlusherTest, FollowsATimeOfDayThatJumpsWhileItRuns) {
  const LeakRate rate(1, 1000);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(take("a", rate));
  ASSERT_TRUE(flusher_->save());
  wall_ += hours(5);
  pass(seconds(1));
  start();
  EXPECT_EQ(left("a"), seconds(999)) << "the five hours do not count";
}

// The time passes between two looks at the time of day, as while a large file is read.
TEST_F(BucketFlusherTest, TakesTheTimeOfLoadingForNoJumpOfTheClock) {
  EXPECT_TRUE(take("a", LeakRate(0.001, 10)));
  ASSERT_TRUE(flusher_->save());
  asking_takes_ = seconds(5);
  start();
  asking_takes_ = seconds(0);
  {
    const auto other = sqlite::Database::open(path_, sqlite::Database::Access::kReadWrite);
    ASSERT_TRUE(other);
    ASSERT_TRUE((*other)->execute("DELETE FROM buckets"));
  }
  ASSERT_TRUE(flusher_->save());
  EXPECT_EQ(rows(), 0U) << "nothing has changed, so nothing is written";
}

TEST_F(BucketFlusherTest, ForgetsDropsThatWereResetOrGivenBack) {
  const LeakRate rate(0.001, 10);
  const BucketDemand b{"b", rate};
  EXPECT_TRUE(take("a", rate));
  const BucketAnswer answer = table_->take({&b, 1}, clock_->now());
  ASSERT_TRUE(flusher_->save());
  EXPECT_TRUE(table_->reset("a", clock_->now()));
  table_->give_back({&b, 1}, answer, clock_->now());
  // Insertions sweep out empty buckets.
  for (int i = 0; i < 500; ++i) take("c" + std::to_string(i), rate);
  start();
  EXPECT_EQ(left("a"), Duration::zero());
  EXPECT_EQ(left("b"), Duration::zero());
  EXPECT_EQ(table_->size(), 500U);
}

TEST_F(BucketFlusherTest, SavedBucketsSurviveAKillOfTheProcess) {
  for (int i = 0; i < 300; ++i) EXPECT_TRUE(take("k" + std::to_string(i), LeakRate(0.01, 2)));
  ASSERT_TRUE(flusher_->save());
  const std::string copy = folder_.file("copy.db");
  for (const char* suffix : {"", "-wal"})
    std::filesystem::copy_file(path_ + suffix, copy + suffix);  // as a killed process leaves it
  start(copy);
  EXPECT_EQ(table_->size(), 300U);
}

TEST_F(BucketFlusherTest, KeepsTheFileSmall) {
  for (int i = 0; i < 1000; ++i) take("k" + std::to_string(i), LeakRate(1, 2));
  ASSERT_TRUE(flusher_->save());
  take("slow", LeakRate(0.001, 2));
  pass(seconds(30));
  EXPECT_EQ(rows(), 1U) << "buckets that are empty by now are swept out";
  start();
  // Each generation evicts the one before; the file has at most twice as many rows as the table.
  for (int generation = 0; generation < 6; ++generation) {
    for (int i = 0; i < 2000; ++i)
      take(std::to_string(generation) + ":" + std::to_string(i), LeakRate(0.001, 2));
    ASSERT_TRUE(flusher_->save());
  }
  const std::size_t live = table_->size();
  EXPECT_LE(rows(), 2000U + live);
  start();
  EXPECT_GE(table_->size(), 1000U);
}

TEST_F(BucketFlusherTest, WritesInTheBackground) {
  stop();
  table_.emplace(1000, kKey, BucketTable::Kept::kInFile);
  auto opened = BucketFlusher::open(
      {.path = path_, .rows_max = 2000, .pause = milliseconds(1), .wall = [this] { return wall_; }},
      *table_, *clock_, logger_);
  ASSERT_TRUE(opened);
  take("a", LeakRate(0.001, 2));
  auto reader = sqlite::Database::open(path_, sqlite::Database::Access::kReadOnly);
  ASSERT_TRUE(reader);
  while ((*reader)->integer("SELECT count(*) FROM buckets").value_or(0) == 0)
    std::this_thread::yield();
  *opened = nullptr;
}

TEST_F(BucketFlusherTest, RefusesFilesOfOthers) {
  const struct {
    const char* why;
    const char* content;
    ErrorCode code;
  } kCases[] = {
      {"not a database", "this is some text that is no database at all, and long enough for it",
       ErrorCode::kCorrupt},
      {"another database", nullptr, ErrorCode::kCorrupt},
  };
  for (const auto& c : kCases) {
    const std::string path = folder_.file("other.db");
    std::filesystem::remove(path);
    if (c.content != nullptr) {
      std::ofstream(path) << c.content;
    } else {
      auto database = sqlite::Database::open(path, sqlite::Database::Access::kCreate);
      ASSERT_TRUE(database);
      ASSERT_TRUE((*database)->execute("CREATE TABLE mine (x)"));
    }
    BucketTable table(1000, kKey);
    const auto opened = BucketFlusher::open({.path = path}, table, *clock_, logger_);
    ASSERT_FALSE(opened) << c.why;
    EXPECT_EQ(opened.error().code, c.code) << c.why;
  }
  BucketTable table(1000, kKey);
  const auto second = BucketFlusher::open({.path = path_}, table, *clock_, logger_);
  ASSERT_FALSE(second) << "only one process may open it";
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace shingled::storage::buckets
