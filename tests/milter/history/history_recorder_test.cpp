#include "milter/history/history_recorder.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "milter/counters/message_origin.h"
#include "tests/milter/history/judged.h"
#include "tests/milter/history/kept_log.h"
#include "tests/storage/sqlite/base/faulty_vfs.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::history {
namespace {

using storage::sqlite::HistoryReader;
using testing::Judged;
using testing::kSite;

using Rows = std::vector<std::pair<std::string, int>>;

class HistoryRecorderTest : public ::testing::Test {
 protected:
  HistoryRecorderTest() { options_.file = folder_.file("history.db"); }
  void open() {
    auto opened =
        HistoryRecorder::open_without_thread({.options = options_, .site = kSite}, clock_, logger_);
    ASSERT_TRUE(opened) << opened.error().message;
    recorder_ = *std::move(opened);
  }
  void record(const std::string& queue_id) {
    Judged judged;
    judged.queue_id = queue_id;
    judged.message_id = "<" + queue_id + "@example.org>";
    recorder_->record(judged.message());
  }
  [[nodiscard]] Rows rows() const {
    Rows out;
    auto reader = HistoryReader::open(options_.file);
    EXPECT_TRUE(reader);
    if (!reader) return out;
    EXPECT_TRUE((*reader)->read({}, [&](const HistoryReader::View& row) {
      out.emplace_back(as_text(row.queue_id), row.label);
      return true;
    }));
    return out;
  }

  shingled::testing::TemporaryDirectory folder_;
  HistoryOptions options_;
  shingled::testing::ManualClock clock_;
  testing::KeptLog logger_;
  std::unique_ptr<HistoryRecorder> recorder_;
};

TEST_F(HistoryRecorderTest, WritesInTheOrderOfTheMessages) {
  open();
  record("C");
  record("A");
  record("B");
  EXPECT_TRUE(rows().empty()) << "it is written behind";
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(rows(), (Rows{{"C", 0}, {"A", 0}, {"B", 0}})) << "all of the same second";
}

TEST_F(HistoryRecorderTest, WritesWhatIsLeftAtTheEnd) {
  open();
  record("A");
  recorder_.reset();
  EXPECT_EQ(rows(), (Rows{{"A", 0}}));
}

TEST_F(HistoryRecorderTest, LabelsAMessageThatStillWaits) {
  open();
  record("A");
  record("B");
  recorder_->label(counters::history_id(kSite, "<A@example.org>"), Label::kSpam);
  recorder_->label(counters::history_id(kSite, "<nobody@example.org>"), Label::kSpam);
  recorder_->label(0, Label::kSpam);
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(rows(), (Rows{{"A", 1}, {"B", 0}}));
  recorder_->label(counters::history_id(kSite, "<A@example.org>"), Label::kHam);
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(rows(), (Rows{{"A", 2}, {"B", 0}}));
  recorder_->label(counters::history_id(kSite, "<A@example.org>"), Label::kNone);
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(rows(), (Rows{{"A", 0}, {"B", 0}}));
}

// A message is recorded after its answer: who reports it at once may be quicker than its row.
TEST_F(HistoryRecorderTest, LabelsAMessageThatIsRecordedAfterItsLabel) {
  open();
  const std::uint64_t message = counters::history_id(kSite, "<A@example.org>");
  recorder_->label(message, Label::kSpam);
  ASSERT_TRUE(recorder_->write());
  record("A");
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(rows(), (Rows{{"A", 1}}));
  recorder_->label(message, Label::kHam);
  ASSERT_TRUE(recorder_->write());
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(rows(), (Rows{{"A", 2}})) << "what was said last counts";
  record("A");
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(rows(), (Rows{{"A", 2}, {"A", 0}})) << "much later it is another message";
}

TEST_F(HistoryRecorderTest, OldMessagesGo) {
  options_.keep = std::chrono::hours(24);
  open();
  record("A");
  ASSERT_TRUE(recorder_->write());
  clock_.advance(std::chrono::hours(23));
  record("B");
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(rows().size(), 2U);
  clock_.advance(std::chrono::hours(2));
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(rows(), (Rows{{"B", 0}}));
  options_.keep = std::chrono::hours(1);
  recorder_->use(options_);
  clock_.advance(std::chrono::minutes(1));
  ASSERT_TRUE(recorder_->write());
  EXPECT_TRUE(rows().empty()) << "a reload takes effect";
}

TEST_F(HistoryRecorderTest, WhatAReportNeedsGoesEarlier) {
  options_.act_for = std::chrono::hours(24);
  open();
  Judged judged;
  judged.kept = {1, 2, 3};
  recorder_->record(judged.message());
  ASSERT_TRUE(recorder_->write());
  const auto kept = [&] {
    auto reader = HistoryReader::open(options_.file);
    int out = 0;
    EXPECT_TRUE((*reader)->read_newest_first({}, [&](const HistoryReader::View& row) {
      out += row.is_kept ? 1 : 0;
      return true;
    }));
    return out;
  };
  EXPECT_EQ(kept(), 1);
  clock_.advance(std::chrono::hours(23));
  recorder_->record(judged.message());
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(kept(), 2);
  clock_.advance(std::chrono::hours(2));
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(kept(), 1);
  EXPECT_EQ(rows().size(), 2U) << "the row stays";
  options_.act_for = std::chrono::hours(0);
  recorder_->use(options_);
  clock_.advance(std::chrono::minutes(1));
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(kept(), 0) << "a reload takes effect";
}

TEST_F(HistoryRecorderTest, ADoubtedClockRemovesNothingByAge) {
  options_.keep = std::chrono::hours(24);
  open();
  record("A");
  recorder_.reset();
  clock_.advance(std::chrono::hours(24 * 365));  // while it did not run: maybe the clock is wrong
  open();
  record("B");
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(rows().size(), 2U);
  options_.bytes_max = 1;
  recorder_->use(options_);
  clock_.advance(std::chrono::minutes(1));
  ASSERT_TRUE(recorder_->write());
  EXPECT_TRUE(rows().empty()) << "a full file is another reason";
  options_.bytes_max = HistoryOptions().bytes_max;
  recorder_->use(options_);
  record("C");
  ASSERT_TRUE(recorder_->write());
  clock_.advance(std::chrono::hours(25));
  ASSERT_TRUE(recorder_->write());
  EXPECT_TRUE(rows().empty()) << "the clock has stayed so";
}

TEST_F(HistoryRecorderTest, AFullDiskIsLoggedOnceAndWhatWaitsIsKept) {
  storage::sqlite::FaultyVfs disk;
  open();
  record("A");
  ASSERT_TRUE(recorder_->write());
  disk.fail_after(0, SQLITE_FULL);
  for (const char* id : {"B", "C", "D"}) {
    record(id);
    EXPECT_FALSE(recorder_->write());
  }
  EXPECT_EQ(logger_.lines_with("history_refused"), 1U);
  disk.heal();
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(rows(), (Rows{{"A", 0}, {"B", 0}, {"C", 0}, {"D", 0}}));
  EXPECT_EQ(logger_.lines_with("history_written_again"), 1U);
}

TEST_F(HistoryRecorderTest, WhatDoesNotFitIsLoggedOnce) {
  open();
  for (std::size_t i = 0; i < HistoryRecorder::kWaitingMax + 5; ++i) record("A");
  EXPECT_EQ(logger_.lines_with("history_dropped"), 1U);
  ASSERT_TRUE(recorder_->write());
  EXPECT_EQ(rows().size(), HistoryRecorder::kWaitingMax);
}

TEST_F(HistoryRecorderTest, AFileThatCannotBeOpenedIsAnError) {
  options_.file = folder_.file("no/history.db");
  EXPECT_FALSE(
      HistoryRecorder::open_without_thread({.options = options_, .site = kSite}, clock_, logger_));
}

class HistoryReloaderTest : public ::testing::Test {
 protected:
  HistoryReloaderTest() {
    options_.file = folder_.file("history.db");
    counters_.embedded.directory = folder_.file("counters");
  }

  shingled::testing::TemporaryDirectory folder_;
  shingled::testing::ManualClock clock_;
  shingled::testing::SeededRandom random_{1};
  testing::KeptLog logger_;
  HistoryOptions options_;
  CounterOptions counters_;
  HistoryReloader reloader_{clock_, random_, logger_};
};

TEST_F(HistoryReloaderTest, OpensTheFileAndKeepsItOpenAtAReload) {
  reloader_.use(options_, counters_);
  const auto recorder = reloader_.current().get();
  ASSERT_NE(recorder, nullptr);
  EXPECT_TRUE(std::filesystem::exists(counters_.key_path()));
  reloader_.use(options_, counters_);
  EXPECT_EQ(reloader_.current().get(), recorder);
  options_.enabled = false;
  reloader_.use(options_, counters_);
  EXPECT_EQ(reloader_.current().get(), nullptr);
}

TEST_F(HistoryReloaderTest, WithoutAFileMailGoesOn) {
  std::ofstream(options_.file) << "this is no database, but a text of some length";
  reloader_.use(options_, counters_);
  EXPECT_EQ(reloader_.current().get(), nullptr);
  EXPECT_EQ(logger_.lines_with("history_off"), 1U);
}

TEST_F(HistoryReloaderTest, IsOffWithoutATrace) {
  options_.enabled = false;
  reloader_.use(options_, counters_);
  EXPECT_FALSE(std::filesystem::exists(options_.file));
  EXPECT_FALSE(std::filesystem::exists(counters_.embedded.directory));
}

TEST(HistoryNeeds, AreAllTypesOfAMessageInTheWindows) {
  HistoryOptions options;
  const auto needs = history_needs(options);
  for (const PieceType type :
       {PieceType::kSender, PieceType::kUniqueRecipients, PieceType::kStoredHash}) {
    const features::CounterNeed* const need = features::find_need(needs, type);
    ASSERT_NE(need, nullptr);
    const bool said = type != PieceType::kUniqueRecipients;
    EXPECT_EQ(need->windows.size(), said ? 5U : 4U);
    EXPECT_EQ(need->said, said) << "different things are not reported";
  }
  EXPECT_EQ(features::find_need(needs, PieceType::kMessageReporter), nullptr);
  options.windows.clear();
  EXPECT_TRUE(history_needs(options).empty());
  options = {};
  options.enabled = false;
  EXPECT_TRUE(history_needs(options).empty());
}

}  // namespace
}  // namespace shingled::milter::history
