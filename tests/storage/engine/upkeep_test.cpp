// Covers storage/engine/writer_maintenance.cpp.
// The writer's work besides updates: expiry, giving back space, checkpoints.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <thread>

#include "storage/sqlite/hashes/fuzzy_table.h"
#include "tests/storage/engine/engine_fixture.h"
#include "tests/storage/sqlite/base/faulty_vfs.h"

namespace shingled::storage::engine {
namespace {

constexpr int kFaults[] = {SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC};

class Upkeep : public EngineTest {
 protected:
  std::vector<Update> adds(std::size_t count) {
    std::vector<Update> updates;
    for (std::size_t i = 0; i < count; ++i) updates.push_back(add(random_fingerprint(random_)));
    return updates;
  }
  /// Moves the clock until `holds` is true.
  [[nodiscard]] bool eventually(const std::function<bool(const EngineCounters&)>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!holds(engine_->counters())) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      clock_.advance(std::chrono::seconds(1));
      std::this_thread::yield();
    }
    return true;
  }
};

TEST_F(Upkeep, ExpiryGivesBackSpaceInTheFile) {
  constexpr std::size_t kOld = 20'000;
  options_.expire = std::chrono::hours(1000);
  open();
  ASSERT_TRUE(engine_->apply(adds(kOld)));
  engine_.reset();
  const auto full = std::filesystem::file_size(options_.hashfile);
  clock_.advance(std::chrono::hours(1001));
  open();
  const std::vector<Update> young = adds(100);
  ASSERT_TRUE(engine_->apply(young));
  ASSERT_TRUE(eventually([](const EngineCounters& c) { return c.expired == kOld; }));
  EXPECT_EQ(engine_->size(), young.size());
  ASSERT_TRUE(eventually([](const EngineCounters& c) { return c.pages_returned > 1000; }));
  for (const Update& update : young) EXPECT_TRUE(check(update.fingerprint));
  open();
  EXPECT_EQ(engine_->size(), young.size());
  engine_.reset();
  EXPECT_LT(std::filesystem::file_size(options_.hashfile), full / 2);
}

/// Counts the warnings about one event.
class WarningCounter final : public Logger {
 public:
  explicit WarningCounter(std::string event) : event_(std::move(event)) {}
  void write(LogLevel level, std::string_view line) override {
    if (level == LogLevel::kWarning && line.starts_with(event_)) ++count;
  }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  std::atomic<int> count{0};

 private:
  const std::string event_;
};

TEST_F(Upkeep, WarnsWhenAReaderMakesTheWalGrow) {
  WarningCounter warnings("storage_wal_grows ");
  options_.durability = Durability::kNormal;
  const std::vector<Update> updates = adds(5000);  // about 500 pages each time
  engine_ = Engine::open(options_, clock_, warnings).value();
  ASSERT_TRUE(engine_->apply(updates));
  const auto reader = sqlite::FuzzyTable::open_read_only(options_.hashfile).value();
  ASSERT_TRUE(reader->hold_still());
  const auto wal_bytes = [&] { return std::filesystem::file_size(options_.hashfile + "-wal"); };
  while (wal_bytes() < 40'000'000) ASSERT_TRUE(engine_->apply(updates));
  EXPECT_EQ(warnings.count, 0) << "a short reader such as a backup causes no warning";
  while (wal_bytes() < 80'000'000) ASSERT_TRUE(engine_->apply(updates));
  EXPECT_TRUE(eventually([&](const EngineCounters&) { return warnings.count == 1; }));
}

TEST_F(Upkeep, TheWalStartsAgainWhileUpdatesGoOn) {
  open();
  const auto wal_bytes = [&] { return std::filesystem::file_size(options_.hashfile + "-wal"); };
  std::vector<Update> all;
  std::uintmax_t longest = 0;
  while (engine_->counters().checkpoints < 3) {
    const std::vector<Update> some = adds(500);
    ASSERT_TRUE(engine_->apply(some));
    all.insert(all.end(), some.begin(), some.end());
    longest = std::max(longest, wal_bytes());
    ASSERT_LT(all.size(), 1'000'000U) << "no checkpoint came";
  }
  EXPECT_LT(longest, all.size() * 374) << "the WAL does not hold everything since the start";
  open();
  for (const Update& update : all) ASSERT_TRUE(check(update.fingerprint));
}

// While a tool reads, the WAL cannot start again. Updates go on, and the WAL starts again after the
// reader has gone.
TEST_F(Upkeep, AReaderOfTheFileDoesNotStopUpdates) {
  open();
  ASSERT_TRUE(engine_->apply(adds(10)));
  auto reader = sqlite::FuzzyTable::open_read_only(options_.hashfile);
  ASSERT_TRUE(reader);
  std::size_t seen = 0;
  const Status read = (*reader)->for_each([&](const sqlite::FuzzyRow&) {
    if (seen++ == 0) {
      EXPECT_TRUE(engine_->apply(adds(15'000)));
    }
    return true;
  });
  EXPECT_TRUE(read);
  EXPECT_EQ(seen, 10U) << "the reader sees one moment of the file";
  EXPECT_EQ(engine_->size(), 15'010U);
  EXPECT_TRUE(engine_->apply(adds(10)));
}

// Faults in the middle of checkpoints. These copy pages that were acknowledged long ago.
TEST_F(Upkeep, AFailedCheckpointLosesNothing) {
  sqlite::FaultyVfs disk;
  open();
  std::vector<Update> stored;
  for (int round = 0; round < 12; ++round) {
    for (std::size_t part = 0; part < 8; ++part) {
      const std::vector<Update> some = adds(400);
      if (part == 4)
        disk.fail_after(static_cast<std::int64_t>(random_() % 300), kFaults[round % 3]);
      if (engine_->apply(some)) stored.insert(stored.end(), some.begin(), some.end());
    }
    disk.heal();
    ASSERT_TRUE(apply(add(random_fingerprint(random_)))) << "it recovers by itself";
    if (round % 4 == 3) open();
    for (const Update& update : stored) ASSERT_TRUE(check(update.fingerprint)) << round;
  }
}

}  // namespace
}  // namespace shingled::storage::engine
