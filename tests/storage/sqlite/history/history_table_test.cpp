#include "storage/sqlite/history/history_table.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <vector>

#include "tests/storage/sqlite/base/faulty_vfs.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

using testing::TemporaryDirectory;

HistoryRow row_at(std::int64_t time, std::uint64_t message = 0) {
  return {.time = time,
          .queue_id = "Q" + std::to_string(time),
          .message = message,
          .sender = 0xFFFF'FFFF'0000'0000U + static_cast<std::uint64_t>(time),
          .action = 1,
          .label = 0,
          .details = Bytes(200, static_cast<std::uint8_t>(time))};
}

std::unique_ptr<HistoryTable> open_table(const std::string& path) {
  auto table = HistoryTable::open(path);
  EXPECT_TRUE(table) << table.error().message;
  return *std::move(table);
}

std::vector<std::int64_t> times_in(const std::string& path, HistoryReader::Span span = {}) {
  auto reader = HistoryReader::open(path);
  EXPECT_TRUE(reader) << reader.error().message;
  std::vector<std::int64_t> times;
  EXPECT_TRUE((*reader)->read(span, [&](const HistoryReader::View& row) {
    times.push_back(row.time);
    return true;
  }));
  return times;
}

std::vector<int> labels_in(const std::string& path) {
  auto reader = HistoryReader::open(path);
  std::vector<int> labels;
  EXPECT_TRUE((*reader)->read({}, [&](const HistoryReader::View& row) {
    labels.push_back(row.label);
    return true;
  }));
  return labels;
}

TEST(HistoryTable, ALabelReachesTheNewestOnly) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  const auto table = open_table(path);
  EXPECT_EQ(*table->newest(), 0);
  constexpr auto kMost = static_cast<std::int64_t>(HistoryTable::kLabelledMax);
  std::vector<HistoryRow> rows;
  for (std::int64_t time = 1; time <= kMost + 5; ++time) rows.push_back(row_at(time, 7));
  ASSERT_TRUE(table->write(rows, {}));
  EXPECT_EQ(*table->newest(), kMost + 5);
  EXPECT_EQ(*table->write({}, std::vector<HistoryLabel>{{7, 1}}), HistoryTable::kLabelledMax);
  const auto labels = labels_in(path);
  EXPECT_EQ(labels[4], 0);
  EXPECT_EQ(labels[5], 1);
  EXPECT_EQ(*table->write({}, std::vector<HistoryLabel>{{7, 1}}), 0U) << "they have it";
}

TEST(HistoryTable, GivesBackWhatItWasGivenWhileItIsOpen) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  const auto table = open_table(path);
  const std::vector<HistoryRow> rows = {row_at(30), row_at(10, 7), row_at(20)};
  ASSERT_TRUE(table->write(rows, {}));
  EXPECT_EQ(times_in(path), (std::vector<std::int64_t>{10, 20, 30}));
  EXPECT_EQ(times_in(path, {.since = 11, .until = 30}), (std::vector<std::int64_t>{20}));
  auto reader = HistoryReader::open(path);
  std::vector<std::int64_t> found;
  ASSERT_TRUE((*reader)->find("Q10", [&](const HistoryReader::View& row) {
    found.push_back(row.time);
    EXPECT_EQ(row.sender, rows[1].sender);
    EXPECT_EQ(row.action, 1);
    EXPECT_EQ(Bytes(row.details.begin(), row.details.end()), rows[1].details);
    EXPECT_EQ(as_text(row.queue_id), "Q10");
    return true;
  }));
  EXPECT_EQ(found, (std::vector<std::int64_t>{10}));
  const auto ends = (*reader)->ends();
  ASSERT_TRUE(ends && *ends);
  EXPECT_EQ((*ends)->first, 10);
  EXPECT_EQ((*ends)->last, 30);
}

TEST(HistoryTable, KeepsNamesAndWhatAReportNeedsUnderTheTimeOfTheRow) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  const auto table = open_table(path);
  HistoryRow whole = row_at(5);
  whole.sender_name = "a@example.org";
  whole.recipients = "b@example.net\nc@example.net\n";
  whole.subject =
      "Gr\xC3\xBC\xC3\x9F"
      "e";
  whole.kept = {1, 2, 3};
  ASSERT_TRUE(table->write(std::vector{row_at(5), whole}, {}));
  auto reader = HistoryReader::open(path);
  std::vector<std::int64_t> kept;
  ASSERT_TRUE((*reader)->read_newest_first({}, [&](const HistoryReader::View& row) {
    if (row.is_kept) kept.push_back(row.time);
    EXPECT_EQ(as_text(row.sender_name), row.is_kept ? whole.sender_name : "");
    EXPECT_EQ(as_text(row.recipients), row.is_kept ? whole.recipients : "");
    EXPECT_EQ(as_text(row.subject), row.is_kept ? whole.subject : "");
    return true;
  }));
  EXPECT_EQ(kept, (std::vector<std::int64_t>{6})) << "its time was taken";
  EXPECT_EQ(*(*reader)->kept(6), whole.kept);
  EXPECT_TRUE((*reader)->kept(5)->empty());
}

TEST(HistoryTable, WhatAReportNeedsGoesBeforeItsRow) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  const auto table = open_table(path);
  constexpr std::int64_t kDay = 86'400'000'000;
  std::vector<HistoryRow> rows;
  for (std::int64_t day = 0; day < 4; ++day) {
    rows.push_back(row_at(day * kDay + 1));
    rows.back().kept = Bytes(100'000, 7);
  }
  ASSERT_TRUE(table->write(rows, {}));
  auto reader = HistoryReader::open(path);
  const auto kept = [&] {
    std::vector<int> out;
    for (const HistoryRow& row : rows) out.push_back((*reader)->kept(row.time)->empty() ? 0 : 1);
    return out;
  };
  EXPECT_EQ(table->trim({.oldest_kept = kDay})->rows, 0U);
  EXPECT_EQ(kept(), (std::vector{0, 1, 1, 1}));
  EXPECT_EQ(times_in(path).size(), 4U);
  ASSERT_TRUE(table->trim({.bytes_max = 260'000}));
  EXPECT_EQ(kept(), (std::vector{0, 0, 1, 1})) << "what is a day older than the newest";
  EXPECT_EQ(times_in(path).size(), 4U) << "rows stay while something else can go";
  ASSERT_TRUE(table->trim({.oldest = 3 * kDay}));
  EXPECT_EQ(kept(), (std::vector{0, 0, 0, 1})) << "what goes with its row";
}

TEST(HistoryTable, AFileOfTheFirstVersionIsReadAndBroughtUpToDate) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  ASSERT_TRUE(open_table(path)->write(std::vector{row_at(1)}, {}));
  {
    auto database = Database::open(path, Database::Access::kReadWrite);
    ASSERT_TRUE((*database)->execute(
        "DROP TRIGGER with_message; DROP TABLE names; DROP TABLE acts; PRAGMA user_version = 1"));
  }
  const auto newest_first = [&] {
    auto reader = HistoryReader::open(path);
    EXPECT_TRUE(reader) << reader.error().message;
    std::vector<std::int64_t> times;
    EXPECT_TRUE((*reader)->read_newest_first({}, [&](const HistoryReader::View& row) {
      EXPECT_EQ((*reader)->kept(row.time)->empty(), !row.is_kept);
      times.push_back(row.time);
      return true;
    }));
    return times;
  };
  EXPECT_EQ(newest_first(), (std::vector<std::int64_t>{1})) << "before a daemon has opened it";
  HistoryRow more = row_at(2);
  more.kept = {1};
  ASSERT_TRUE(open_table(path)->write(std::vector{more}, {}));
  EXPECT_EQ(newest_first(), (std::vector<std::int64_t>{2, 1}));
}

TEST(HistoryTable, FindsASenderByAnIndexThatAnOlderFileGets) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  std::vector<HistoryRow> rows = {row_at(1), row_at(2), row_at(3), row_at(4)};
  rows[1].sender = rows[3].sender = 7;
  rows[2].sender = 0;
  ASSERT_TRUE(open_table(path)->write(rows, {}));
  const auto times_of_sender = [&](HistoryReader::Span span = {}) {
    auto reader = HistoryReader::open(path);
    EXPECT_TRUE(reader) << reader.error().message;
    std::vector<std::int64_t> times;
    EXPECT_TRUE((*reader)->read_sender(span, 7, [&](std::int64_t time) {
      times.push_back(time);
      return true;
    }));
    return times;
  };
  const auto plan = [&] {
    auto database = Database::open(path, Database::Access::kReadOnly);
    auto statement = (*database)->prepare(
        "EXPLAIN QUERY PLAN SELECT time FROM messages WHERE time >= 1 AND time < 9 AND sender = 7"
        " AND sender <> 0 ORDER BY time DESC");
    EXPECT_TRUE(*statement->step());
    return statement->text(3);
  };
  EXPECT_EQ(times_of_sender(), (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(times_of_sender({.since = 2, .until = 4}), (std::vector<std::int64_t>{2}));
  EXPECT_NE(plan().find("messages_by_sender"), std::string::npos) << plan();
  {
    auto database = Database::open(path, Database::Access::kReadWrite);
    ASSERT_TRUE((*database)->execute("DROP INDEX messages_by_sender"));
  }
  EXPECT_EQ(times_of_sender(), (std::vector<std::int64_t>{4, 2})) << "without it, too";
  open_table(path);
  EXPECT_NE(plan().find("messages_by_sender"), std::string::npos) << plan();
}

TEST(HistoryTable, ReadsTheNamesOfTheRowsThatHaveSome) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  std::vector<HistoryRow> rows = {row_at(1), row_at(2), row_at(3), row_at(4)};
  rows[0].sender_name = "ann@example.org";
  rows[2].recipients = "bob@example.net\n";
  rows[3].subject = "late";
  ASSERT_TRUE(open_table(path)->write(rows, {}));
  auto reader = HistoryReader::open(path);
  std::string seen;
  const auto take = [&](std::int64_t time, const HistoryReader::Names& names) {
    seen += std::to_string(time) + ":" + std::string(as_text(names.sender)) + "," +
            std::string(as_text(names.recipients)) + "," + std::string(as_text(names.subject)) +
            ";";
    return true;
  };
  ASSERT_TRUE((*reader)->read_names({.since = 1, .until = 4}, take));
  EXPECT_EQ(seen, "3:,bob@example.net\n,;1:ann@example.org,,;");
}

TEST(HistoryTable, AReaderMayStopAndGoesFromTheNewest) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  const auto table = open_table(path);
  ASSERT_TRUE(table->write(std::vector{row_at(1), row_at(2), row_at(3)}, {}));
  auto reader = HistoryReader::open(path);
  std::vector<std::int64_t> times;
  ASSERT_TRUE((*reader)->read_newest_first({}, [&](const HistoryReader::View& row) {
    times.push_back(row.time);
    return times.size() < 2;
  }));
  EXPECT_EQ(times, (std::vector<std::int64_t>{3, 2}));
}

TEST(HistoryTable, ATakenTimeIsMovedToTheNextFreeOne) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  const auto table = open_table(path);
  ASSERT_TRUE(table->write(std::vector{row_at(5), row_at(5), row_at(6)}, {}));
  EXPECT_EQ(times_in(path), (std::vector<std::int64_t>{5, 6, 7}));
}

TEST(HistoryTable, ALabelChangesAllRowsOfItsMessage) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  const auto table = open_table(path);
  ASSERT_TRUE(table->write(std::vector{row_at(1, 8), row_at(2, 9), row_at(3, 8), row_at(4)}, {}));
  const auto labelled = table->write({}, std::vector<HistoryLabel>{{8, 1}, {0, 2}, {12345, 2}});
  ASSERT_TRUE(labelled);
  EXPECT_EQ(*labelled, 2U);
  EXPECT_EQ(labels_in(path), (std::vector{1, 0, 1, 0}));
  ASSERT_TRUE(table->write({}, std::vector<HistoryLabel>{{8, 0}}));
  EXPECT_EQ(labels_in(path), (std::vector{0, 0, 0, 0}));
}

TEST(HistoryTable, OldRowsGoAndThenTheOldestUntilItFits) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  const auto table = open_table(path);
  std::vector<HistoryRow> rows;
  for (std::int64_t time = 1; time <= 20'000; ++time) rows.push_back(row_at(time));
  ASSERT_TRUE(table->write(rows, {}));
  auto trimmed = table->trim({.oldest = 101});
  ASSERT_TRUE(trimmed);
  EXPECT_EQ(trimmed->rows, 100U);
  EXPECT_FALSE(trimmed->more);
  EXPECT_EQ(times_in(path).front(), 101);

  const std::uint64_t half = *table->bytes() / 2;
  std::size_t steps = 0;
  do {
    trimmed = table->trim({.bytes_max = half});
    ASSERT_TRUE(trimmed);
    ++steps;
  } while (trimmed->more);
  EXPECT_GT(steps, 5U);
  EXPECT_LE(*table->bytes(), half);
  const auto times = times_in(path);
  EXPECT_EQ(times.back(), 20'000);
  EXPECT_GT(times.size(), 8000U);
  EXPECT_LT(times.size(), 12'000U);
  EXPECT_EQ(*table->count(), times.size());
}

TEST(HistoryTable, ABoundThatNothingMeetsEmptiesItAndEnds) {
  const TemporaryDirectory directory;
  const auto table = open_table(directory.file("history.db"));
  ASSERT_TRUE(table->write(std::vector{row_at(1)}, {}));
  const auto trimmed = table->trim({.bytes_max = 0});
  ASSERT_TRUE(trimmed);
  EXPECT_EQ(trimmed->rows, 1U);
  EXPECT_FALSE(trimmed->more);
}

TEST(HistoryTable, AFileOfANewerVersionIsRefused) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  open_table(path).reset();
  {
    auto database = Database::open(path, Database::Access::kReadWrite);
    ASSERT_TRUE((*database)->execute("PRAGMA user_version = 3"));
  }
  const auto table = HistoryTable::open(path);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::kInvalid);
  EXPECT_NE(table.error().message.find("written by a newer version"), std::string::npos);
  const auto reader = HistoryReader::open(path);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::kInvalid);
}

TEST(HistoryTable, AnotherDatabaseIsRefusedAndLeftAsItIs) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("other.db");
  {
    auto database = Database::open(path, Database::Access::kCreate);
    ASSERT_TRUE((*database)->execute("CREATE TABLE mails (id INTEGER)"));
  }
  const auto table = HistoryTable::open(path);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::kCorrupt);
  auto database = Database::open(path, Database::Access::kReadOnly);
  EXPECT_EQ(*(*database)->integer("SELECT count(*) FROM sqlite_master"), 1);
}

TEST(HistoryTable, WithoutAFileThereIsNothingToRead) {
  const TemporaryDirectory directory;
  const auto reader = HistoryReader::open(directory.file("none.db"));
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::kNotFound);
}

TEST(HistoryTable, ABatchThatFailsIsNotThereAtAll) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  FaultyVfs disk;
  const auto table = open_table(path);
  ASSERT_TRUE(table->write(std::vector{row_at(1)}, {}));
  std::vector<HistoryRow> rows;
  for (std::int64_t time = 2; time < 3000; ++time) rows.push_back(row_at(time));
  for (const std::int64_t writes : {0, 1, 7, 40}) {
    disk.fail_after(writes, SQLITE_FULL);
    const auto written = table->write(rows, {});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::kUnavailable);
    disk.heal();
    EXPECT_EQ(times_in(path), (std::vector<std::int64_t>{1}));
  }
  ASSERT_TRUE(table->write(rows, {}));
  EXPECT_EQ(times_in(path).size(), 2999U);
}

}  // namespace
}  // namespace shingled::storage::sqlite
