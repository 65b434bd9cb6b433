// Covers storage/counters/sealed/sealed_files.cpp: what a start finds, and what may be removed
// then.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "storage/log/record_log.h"
#include "tests/storage/counters/embedded/embedded_fixture.h"
#include "tests/storage/sqlite/base/faulty_vfs.h"
#include "tests/support/borrowed_files.h"

namespace shingled::storage::counters {
namespace {

using testing::BorrowedFiles;

class EmbeddedStartTest : public EmbeddedCountersTest {
 protected:
  /// A whole record (COUNTERS.md section 4) whose addition cannot be decoded.
  static void append_foreign_record(Bytes& log) {
    const Bytes addition = {1};
    Bytes sums(20);
    ByteWriter placed(sums);
    placed.u64(log.size());
    placed.u32(1);
    placed.u64(log::checksum(addition));
    Bytes record(12);
    ByteWriter header(record);
    header.u32(1);
    header.u64(log::checksum(sums));
    log.insert(log.end(), record.begin(), record.end());
    log.insert(log.end(), addition.begin(), addition.end());
  }
  /// Opens with `files`, which must outlive the counters.
  void open_with(FileSystem& files) {
    counters_.reset();
    EmbeddedCounterOptions options = options_;
    options.directory = directory_.path();
    auto opened = EmbeddedCounters::open(options, files, clock_);
    ASSERT_TRUE(opened) << opened.error().message;
    counters_ = *std::move(opened);
  }
  /// A log that is in a sealed file, as if the process had ended before it removed the log.
  void leave_log_behind() {
    open();
    add({{{5, PieceType::kFrom}}, {}, message()});
    const Bytes log = files_.content("1.log");
    clock_.advance(std::chrono::minutes(10));
    maintain();
    counters_.reset();
    ASSERT_FALSE(files_.has("1.log"));
    auto file = files_.create("1.log");
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->append(log));
  }
};

TEST_F(EmbeddedStartTest, WhatCouldBeReadOfADamagedLogOutlivesAnotherKill) {
  open();
  add({{{5, PieceType::kFrom}}, {{{1, PieceType::kLinkFrom}, 9}}, message()});
  counters_.reset();
  append_foreign_record(files_.content("1.log"));
  for (int start = 0; start < 3; ++start) {
    open();
    EXPECT_EQ(counters_->status().logs_lost, 1U);
    expect_oracle();
    EXPECT_TRUE(files_.has("1.log")) << "it is in memory alone";
  }
  maintain();
  EXPECT_FALSE(files_.has("1.log"));
  EXPECT_TRUE(files_.has("1.log.damaged"));
  expect_oracle();
  open();
  expect_oracle();
  EXPECT_EQ(counters_->status().logs_lost, 0U);
}

TEST_F(EmbeddedStartTest, LeftoversGoAfterTheChangeThatLeftThemIsSynced) {
  sqlite::FaultyVfs disk;
  BorrowedFiles hooked(files_);
  leave_log_behind();
  const std::int64_t before = disk.syncs();
  int removed = 0;
  hooked.hook = [&](BorrowedFiles::Call call, const std::string& name) {
    if (call != BorrowedFiles::Call::kRemove || name != "1.log") return;
    EXPECT_GT(disk.syncs(), before);
    ++removed;
  };
  open_with(hooked);
  EXPECT_EQ(removed, 1);
  EXPECT_FALSE(files_.has("1.log"));
  expect_oracle();
  counters_.reset();  // before the disk
}

TEST_F(EmbeddedStartTest, LeftoversStayWhileTheCatalogueCannotBeWritten) {
  sqlite::FaultyVfs disk;
  leave_log_behind();
  disk.fail_after(0, SQLITE_FULL);
  open();
  EXPECT_TRUE(files_.has("1.log"));
  expect_oracle();
  disk.heal();
  open();
  EXPECT_FALSE(files_.has("1.log"));
  expect_oracle();
  counters_.reset();  // before the disk
}

TEST_F(EmbeddedStartTest, WithoutItsCatalogueNothingIsRemoved) {
  open();
  add({{{5, PieceType::kFrom}}, {}, message()});
  clock_.advance(std::chrono::minutes(10));
  maintain();
  add({{{5, PieceType::kFrom}}, {}, message()});
  counters_.reset();
  const auto names = files_.names();
  const std::string catalogue = directory_.file("counters.db");
  std::filesystem::rename(catalogue, catalogue + ".away");
  EmbeddedCounterOptions options;
  options.directory = directory_.path();
  for (int start = 0; start < 2; ++start) {
    const auto opened = EmbeddedCounters::open(options, files_, clock_);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(opened.error().message.find(catalogue), std::string::npos);
    EXPECT_EQ(*files_.names(), *names);
  }
  std::filesystem::rename(catalogue + ".away", catalogue);
  open();
  expect_oracle();
}

TEST_F(EmbeddedStartTest, FirstFileThatWasBeingMadeIsALeftover) {
  open();
  add({{{5, PieceType::kFrom}}, {}, message()});
  counters_.reset();
  ASSERT_TRUE(files_.create("1.counts"));  // the process ended before it was named
  open();
  EXPECT_FALSE(files_.has("1.counts"));
  expect_oracle();
}

}  // namespace
}  // namespace shingled::storage::counters
