// Covers storage/counters/embedded/embedded_store.cpp and storage/counters/counter_files.cpp.
#include "storage/counters/embedded/embedded_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "config/metrics/metric_report.h"
#include "storage/counters/counter_files.h"
#include "storage/counters/counter_key.h"
#include "tests/storage/counters/embedded/embedded_fixture.h"
#include "tests/support/borrowed_files.h"
#include "tests/support/seeded_random.h"

namespace shingled::storage::counters {
namespace {

using testing::BorrowedFiles;
using testing::ManualClock;
using testing::MemoryFiles;
using testing::TemporaryDirectory;

class Lines final : public Logger {
 public:
  void write(LogLevel, std::string_view line) override { lines_.lock()->emplace_back(line); }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  /// How many lines have this in them.
  std::size_t count(std::string_view text) {
    std::size_t count = 0;
    auto lines = lines_.lock();
    for (const std::string& line : *lines)
      if (line.find(text) != std::string::npos) ++count;
    return count;
  }

 private:
  Guarded<std::vector<std::string>> lines_;
};

class EmbeddedStoreTest : public ::testing::Test {
 protected:
  void open() {
    store_.reset();
    options_.directory = directory_.path();
    auto opened = EmbeddedCounterStore::open_without_threads(
        options_, std::make_unique<BorrowedFiles>(files_), clock_, lines_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = *std::move(opened);
  }
  Status add(std::uint64_t shingle) {
    return store_->add({{{shingle, PieceType::kFrom}}, {}, message()}, {});
  }
  std::uint64_t mass(std::uint64_t shingle) {
    const std::vector<CounterKey> keys = {{shingle, PieceType::kFrom}};
    const std::vector<Window> day = {{Period::Unit::kDay, 1, 0}};
    return store_->ask(keys, day, {}).of(0, 0).of(Measure::kMass);
  }
  double metric(std::string_view name, const MetricLabels& labels = {}) {
    MetricReport report;
    store_->report(report);
    return report.total(name, labels);
  }

  TemporaryDirectory directory_;
  MemoryFiles files_;
  ManualClock clock_;
  Lines lines_;
  EmbeddedCounterOptions options_;
  std::unique_ptr<EmbeddedCounterStore> store_;
};

TEST_F(EmbeddedStoreTest, FullDiskIsLoggedOnceAndOnceWhenItIsOver) {
  open();
  ASSERT_TRUE(add(1));
  files_.fail_at(0);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(add(1));
  files_.repair();
  ASSERT_TRUE(add(1));
  ASSERT_TRUE(add(1));
  EXPECT_EQ(mass(1), 3U);
  EXPECT_EQ(lines_.count("counters_fail work=add"), 1U);
  EXPECT_EQ(lines_.count("the disk is full"), 1U);
  EXPECT_EQ(lines_.count("counters_work_again work=add"), 1U);
  EXPECT_EQ(metric("shingled_counters_failures", {{"work", "add"}}), 3);
  EXPECT_EQ(metric("shingled_counters_add_seconds"), 6);
  EXPECT_EQ(metric("shingled_counters_live"), 1);
}

TEST_F(EmbeddedStoreTest, FailedSyncAndUpkeepAreLoggedOnceAndTriedAgain) {
  open();
  ASSERT_TRUE(add(1));
  files_.fail_at(0);
  store_->sync();
  store_->sync();
  clock_.advance(std::chrono::minutes(10));
  store_->maintain();
  store_->maintain();
  files_.repair();
  store_->sync();
  store_->maintain();
  store_->sync();
  for (const char* work : {"work=sync", "work=maintain"}) {
    EXPECT_EQ(lines_.count(std::string("counters_fail ") + work), 1U) << work;
    EXPECT_EQ(lines_.count(std::string("counters_work_again ") + work), 1U) << work;
  }
  EXPECT_EQ(metric("shingled_counters_files"), 1);
  EXPECT_EQ(mass(1), 1U);
}

TEST_F(EmbeddedStoreTest, MistakesOfTheCallerAreNotLogged) {
  open();
  Addition addition{{}, {}, message()};
  addition.counters.assign(kAdditionKeysMax + 1, {1, PieceType::kLink});
  EXPECT_FALSE(store_->add(addition, {}));
  EXPECT_EQ(lines_.count("counters_"), 0U);
}

TEST_F(EmbeddedStoreTest, WhatWasLostIsLoggedAtTheStartAndCounted) {
  open();
  ASSERT_TRUE(add(1));
  clock_.advance(std::chrono::minutes(10));
  store_->maintain();
  ASSERT_TRUE(add(2));
  store_.reset();
  ASSERT_TRUE(files_.remove("1.counts"));
  const auto names = files_.names();
  for (const std::string& name : *names)
    if (name.ends_with(".log")) files_.content(name).push_back(7);
  open();
  EXPECT_EQ(lines_.count("counters_file_lost"), 1U);
  EXPECT_EQ(lines_.count("counters_log_bytes_lost bytes=1"), 1U);
  EXPECT_EQ(metric("shingled_counters_files_lost"), 1);
  EXPECT_EQ(metric("shingled_counters_log_bytes_lost"), 1);
  for (int i = 0; i < 3; ++i) static_cast<void>(mass(1));
  // Once when it is found and once a day, not for each question.
  for (int i = 0; i < 3; ++i) store_->maintain();
  EXPECT_EQ(lines_.count("counters_damaged file=1.counts percent=100"), 1U);
  clock_.advance(std::chrono::hours(24));
  for (int i = 0; i < 3; ++i) store_->maintain();
  EXPECT_EQ(lines_.count("counters_damaged file=1.counts"), 2U);
  EXPECT_EQ(metric("shingled_counters_unknown"), 3);
  EXPECT_TRUE(add(1)) << "mail goes on";
  EXPECT_FALSE(store_->verify({}));
}

TEST_F(EmbeddedStoreTest, BoundsOfMemoryAndDiskAreLoggedOnceAnHour) {
  options_.memory_max = 300'000;
  options_.disk_max = 4096;
  open();
  for (int slot = 0; slot < 3; ++slot) {
    for (std::uint64_t i = 1; i <= 6000; ++i) {
      static_cast<void>(add(i * 0x9E37'79B9'7F4A'7C15));
      if (i % 1000 == 0) store_->maintain();
    }
    clock_.advance(std::chrono::minutes(10));
    store_->maintain();
  }
  EXPECT_EQ(lines_.count("counters_memory_full"), 1U);
  EXPECT_EQ(lines_.count("counters_disk_shrunk"), 1U);
  EXPECT_GT(metric("shingled_counters_sealed_early"), 1);
  EXPECT_GT(metric("shingled_counters_shrunk"), 1);
}

TEST_F(EmbeddedStoreTest, WhatWasAddedIsOnTheDiskAfterTheEnd) {
  open();
  ASSERT_TRUE(add(1));
  store_.reset();
  files_.cut_power();
  open();
  EXPECT_EQ(mass(1), 1U);
}

TEST_F(EmbeddedStoreTest, DoesEverythingOfAStore) {
  open();
  const CounterKey key{1, PieceType::kFrom};
  const Slot now = store_->present_slot();
  ASSERT_TRUE(store_->learn(std::vector<PastAddition>{{now - 1, {{key}, {}, message()}}}, {}));
  ASSERT_TRUE(store_->import(
      std::vector<CounterSeries>{{key, {{{Period::Unit::kSlot, now}, message()}}}}, {}));
  EXPECT_EQ(store_->series(key, {})->size(), 2U);
  auto cursor = store_->scan();
  ASSERT_TRUE(cursor);
  EXPECT_EQ((**(*cursor)->next()).key, key);
  EXPECT_EQ(*(*cursor)->next(), nullptr);
  ASSERT_TRUE(store_->forget(std::vector<CounterKey>{key}, {}));
  EXPECT_EQ(mass(1), 0U);
}

TEST(EmbeddedStore, MakesItsFolderAndRefusesASecondProcessByName) {
  const TemporaryDirectory directory;
  const ManualClock clock;
  NullLogger logger;
  EmbeddedCounterOptions options;
  options.directory = directory.file("counters");
  {
    auto first = EmbeddedCounterStore::open(options, clock, logger);
    ASSERT_TRUE(first) << first.error().message;
    struct stat info {};
    ASSERT_EQ(::stat(options.directory.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0700U);
    const auto second = EmbeddedCounterStore::open(options, clock, logger);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(second.error().message.find(options.directory), std::string::npos);
    EXPECT_NE(second.error().message.find("another shingled"), std::string::npos);
    ASSERT_TRUE((*first)->add({{{1, PieceType::kFrom}}, {}, message()}, {}));
  }
  auto again = EmbeddedCounterStore::open(options, clock, logger);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ((*again)->series({1, PieceType::kFrom}, {})->size(), 1U);
}

TEST(EmbeddedStore, WhatRootMakesBelongsToTheOwnerOfTheFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can create files for another owner";
  constexpr uid_t kDaemon = 65534;
  const TemporaryDirectory directory;
  ASSERT_EQ(::chown(directory.path().c_str(), kDaemon, kDaemon), 0);
  const ManualClock clock;
  NullLogger logger;
  EmbeddedCounterOptions options;
  options.directory = directory.file("counters");
  auto store = EmbeddedCounterStore::open(options, clock, logger);
  ASSERT_TRUE(store) << store.error().message;
  const CounterKey key{1, PieceType::kFrom};
  ASSERT_TRUE((*store)->add({{key}, {}, message()}, {}));
  const Slot now = (*store)->present_slot();
  ASSERT_TRUE((*store)->import(
      std::vector<CounterSeries>{{key, {{{Period::Unit::kSlot, now}, message()}}}}, {}));
  testing::SeededRandom random(1);
  ASSERT_TRUE(read_or_make_key(options.directory + "/key", random));
  std::set<std::string> kinds;
  for (const auto& file : std::filesystem::recursive_directory_iterator(directory.path())) {
    struct stat info {};
    ASSERT_EQ(::stat(file.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, kDaemon) << file.path();
    EXPECT_EQ(info.st_gid, kDaemon) << file.path();
    kinds.insert(file.path().has_extension() ? file.path().extension() : file.path().filename());
  }
  for (const char* kind : {".log", ".counts", ".db", ".lock", "counters", "key"})
    EXPECT_TRUE(kinds.contains(kind)) << kind;
}

TEST(EmbeddedStore, FolderThatCannotBeMadeIsNamed) {
  const TemporaryDirectory directory;
  for (const std::string& path :
       {directory.file("missing") + "/counters", std::string("/proc/counters")}) {
    const Status made = make_counter_folder(path);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find(path), std::string::npos);
  }
  EXPECT_TRUE(make_counter_folder(directory.path())) << "it is there";
}

}  // namespace
}  // namespace shingled::storage::counters
