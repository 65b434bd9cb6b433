// Covers storage/sqlite/reports/report_statements.cpp, storage/sqlite/reports/report_statements.cpp
// and storage/sqlite/reports/report_upkeep.cpp, too.
#include "storage/sqlite/reports/report_table.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "tests/storage/sqlite/base/faulty_vfs.h"
#include "tests/storage/sqlite/reports/report_rows.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

TEST(ReportTable, KeepsOneReportForAPersonAndMessage) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  ASSERT_NE(table, nullptr);
  auto outcome = table->add(row(1, UINT64_MAX, ReportKind::kSpam), one_a_supporter);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->what, What::kNew);
  EXPECT_EQ(outcome->reporter.name, UINT64_MAX);
  ASSERT_EQ(outcome->changes.size(), 1U);
  EXPECT_EQ(outcome->changes[0].wanted, 1);
  EXPECT_EQ(outcome->changes[0].seen, 7);
  EXPECT_EQ(outcome->changes[0].hash.fingerprint.shingles->at(0), 5U);
  ASSERT_TRUE(table->finish(outcome->changes));
  ASSERT_TRUE(table->mark_counted({1, UINT64_MAX, /*whole=*/false, /*new_newcomer=*/true}));

  outcome = table->add(row(1, UINT64_MAX, ReportKind::kSpam), one_a_supporter);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->what, What::kSame);
  EXPECT_TRUE(outcome->counted.pieces);
  EXPECT_FALSE(outcome->counted.whole);
  EXPECT_EQ(outcome->newcomers, 1U);
  EXPECT_TRUE(outcome->changes.empty());

  outcome = table->add(row(1, UINT64_MAX, ReportKind::kHam), one_a_supporter);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->what, What::kTurned);
  EXPECT_EQ(outcome->reporter.reports, 1U);
  EXPECT_TRUE(outcome->counted.opposite);
  EXPECT_FALSE(outcome->counted.pieces);
  outcome = table->add(row(1, UINT64_MAX, ReportKind::kHam), one_a_supporter);
  EXPECT_TRUE(outcome->counted.opposite) << "also where counting it failed";
  ASSERT_TRUE(table->mark_counted({1, UINT64_MAX}));
  outcome = table->add(row(1, UINT64_MAX, ReportKind::kHam), one_a_supporter);
  EXPECT_TRUE(outcome->counted.whole);
  EXPECT_EQ(outcome->newcomers, 1U);
}

TEST(ReportTable, RemembersWhatWasNotTaught) {
  const testing::TemporaryDirectory directory;
  {
    const auto table = open_table(directory.file("r.db"));
    ASSERT_TRUE(table->add(row(1, 2, ReportKind::kSpam), one_a_supporter));
  }
  const auto table = open_table(directory.file("r.db"));
  const auto rest = table->unfinished();
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->size(), 1U);
  EXPECT_EQ(rest->front().taught, 0);
  EXPECT_EQ(rest->front().wanted, 1);
  EXPECT_EQ(rest->front().seen, 7);
  ASSERT_TRUE(table->finish(*rest));
  EXPECT_TRUE(table->unfinished()->empty());
}

TEST(ReportTable, ChangesNothingWhereWeighingFails) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  const auto outcome =
      table->add(row(1, 2, ReportKind::kSpam), [](const auto&, auto) -> Result<WantedWeight> {
        return Error{ErrorCode::kUnavailable, "away"};
      });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "away");
  EXPECT_EQ(table->counts()->reporters, 0U);
  EXPECT_EQ(table->add(row(1, 2, ReportKind::kSpam), one_a_supporter)->what, What::kNew);
}

TEST(ReportTable, WhatWasTaughtBelongsToNobodyOnceForgotten) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  for (std::uint64_t reporter = 1; reporter <= 3; ++reporter) {
    const auto outcome = table->add(row(1, reporter, ReportKind::kSpam, 100), one_a_supporter);
    ASSERT_TRUE(outcome);
    ASSERT_TRUE(table->finish(outcome->changes));
  }
  auto outcome = table->add(row(2, 1, ReportKind::kSpam, 300), one_a_supporter);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->changes.empty()) << "three have reported it";
  ASSERT_TRUE(table->forget_before(200, 10, one_a_supporter));
  EXPECT_TRUE(table->unfinished()->empty());
  EXPECT_EQ(table->counts()->aside, 0U);
  outcome = table->add(row(3, 2, ReportKind::kSpam, 300), one_a_supporter);
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->changes.size(), 1U);
  EXPECT_EQ(outcome->changes[0].taught, 1) << "that of the one reporter who is left";
  EXPECT_EQ(outcome->changes[0].wanted, 2) << "a report of spam never takes anything off";
}

TEST(ReportTable, TellsWhoReportedWhat) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  EXPECT_EQ(*table->newest(), 0);
  ASSERT_TRUE(table->add(row(1, 2, ReportKind::kSpam, 100), one_a_supporter));
  ASSERT_TRUE(table->add(row(1, 3, ReportKind::kHam, 300), one_a_supporter));
  ASSERT_TRUE(table->add(row(2, 4, ReportKind::kSpam, 200), one_a_supporter));
  EXPECT_EQ(*table->newest(), 300);
  const auto reporters = table->reporters_of(1);
  ASSERT_TRUE(reporters);
  ASSERT_EQ(reporters->size(), 2U);
  EXPECT_EQ((*reporters)[0].reporter.name + (*reporters)[1].reporter.name, 5U);
  ASSERT_EQ(table->hashes_of(1, 2)->size(), 1U);
  EXPECT_TRUE(table->hashes_of(1, 4)->empty());
  std::size_t supporters = 0;
  ASSERT_TRUE(table->each_hash(2, 4, [&](const ReportedHash& hash, std::span<const Supporter> who) {
    EXPECT_EQ(hash.flag, 11U);
    supporters += who.size();
  }));
  EXPECT_EQ(supporters, 3U);
}

TEST(ReportTable, LeavesWeightsWithoutWeighing) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  auto outcome = table->add(row(1, 2, ReportKind::kSpam), one_a_supporter);
  ASSERT_TRUE(outcome && table->finish(outcome->changes));
  outcome = table->add(row(1, 2, ReportKind::kHam), nullptr);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->changes.empty());
  EXPECT_TRUE(table->unfinished()->empty());
}

TEST(ReportTable, ForgetsOldMessages) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  for (std::uint64_t message = 1; message <= 3; ++message) {
    const auto time = static_cast<std::int64_t>(message * 100);
    const auto outcome = table->add(row(message, 2, ReportKind::kSpam, time), one_a_supporter);
    ASSERT_TRUE(outcome);
    ASSERT_TRUE(table->finish(outcome->changes));
  }
  EXPECT_EQ(*table->forget_before(250, 1, one_a_supporter), 1U);
  EXPECT_EQ(*table->forget_before(250, 10, one_a_supporter), 1U);
  EXPECT_EQ(*table->forget_before(250, 10, one_a_supporter), 0U);
  EXPECT_EQ(table->counts()->messages, 1U);
  EXPECT_EQ(table->counts()->aside, 0U);
  EXPECT_EQ(table->add(row(1, 2, ReportKind::kSpam, 400), one_a_supporter)->what, What::kNew);
}

TEST(ReportTable, RefusesOtherFiles) {
  const testing::TemporaryDirectory directory;
  const auto other = [&](const char* sql) {
    const std::string path = directory.file("other.db");
    {
      auto database = Database::open(path, Database::Access::kCreate);
      EXPECT_TRUE(database && (*database)->execute(sql));
    }
    auto table = ReportTable::open(path, kSite);
    return table ? ErrorCode::kInternal : table.error().code;
  };
  EXPECT_EQ(other("CREATE TABLE x (y)"), ErrorCode::kCorrupt);
  EXPECT_EQ(other("PRAGMA application_id = 1936222066; PRAGMA user_version = 4"),
            ErrorCode::kInvalid);
}

TEST(ReportTable, RefusesNamesUnderAnotherKey) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("r.db");
  ASSERT_TRUE(open_table(path)->add(row(1, 2, ReportKind::kSpam), one_a_supporter));
  const auto other = ReportTable::open(path, kSite + 1);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(other.error().message.find("another key"), std::string::npos);
  EXPECT_EQ(open_table(path)->counts()->messages, 1U) << "nothing was lost";
}

TEST(ReportTable, NamesARowThatCannotBe) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("r.db");
  ASSERT_TRUE(open_table(path)->add(row(1, 2, ReportKind::kSpam), one_a_supporter));
  {
    auto database = Database::open(path, Database::Access::kCreate);
    ASSERT_TRUE(database && (*database)->execute("UPDATE hashes SET shingle_set = x'01'"));
  }
  const auto table = open_table(path);
  const auto outcome = table->add(row(1, 3, ReportKind::kSpam), one_a_supporter);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(outcome.error().message.find("hash 1 has a wrong length"), std::string::npos);
  EXPECT_EQ(table->counts()->reporters, 1U) << "the report was not taken";
}

TEST(ReportTable, AReportThatTheDiskDoesNotTakeIsNotThereAtAll) {
  const testing::TemporaryDirectory directory;
  FaultyVfs disk;
  const auto table = open_table(directory.file("r.db"));
  ASSERT_TRUE(table->add(row(1, 2, ReportKind::kSpam), one_a_supporter));
  for (const std::int64_t writes : {0, 1, 2}) {
    disk.fail_after(writes, SQLITE_FULL);
    const auto outcome = table->add(row(1, 3, ReportKind::kSpam), one_a_supporter);
    ASSERT_FALSE(outcome) << writes;
    EXPECT_EQ(outcome.error().code, ErrorCode::kUnavailable);
    disk.heal();
    EXPECT_EQ(table->counts()->reporters, 1U);
  }
  EXPECT_EQ(table->add(row(1, 3, ReportKind::kSpam), one_a_supporter)->what, What::kNew);
}

/// A file as version 1 made it: two people reported a hash with shingles, which was taught.
constexpr const char* kVersion1 =
    "CREATE TABLE reporters (name INTEGER PRIMARY KEY, reports INTEGER NOT NULL,"
    " agreed INTEGER NOT NULL, disagreed INTEGER NOT NULL, first INTEGER NOT NULL,"
    " last INTEGER NOT NULL);"
    "CREATE TABLE messages (name INTEGER PRIMARY KEY, spam INTEGER NOT NULL, ham INTEGER NOT NULL,"
    " newcomers INTEGER NOT NULL, last INTEGER NOT NULL);"
    "CREATE INDEX messages_last ON messages (last);"
    "CREATE TABLE reports (message INTEGER, reporter INTEGER, kind INTEGER NOT NULL,"
    " time INTEGER NOT NULL, counted INTEGER NOT NULL, PRIMARY KEY (message, reporter))"
    " WITHOUT ROWID;"
    "CREATE TABLE hashes (id INTEGER PRIMARY KEY, digest BLOB NOT NULL, flag INTEGER NOT NULL,"
    " shingle_set BLOB, per_spam INTEGER NOT NULL, per_ham INTEGER NOT NULL,"
    " taught INTEGER NOT NULL, wanted INTEGER NOT NULL, seen INTEGER NOT NULL,"
    " UNIQUE (digest, flag));"
    "CREATE INDEX hashes_unfinished ON hashes (id) WHERE taught <> wanted;"
    "CREATE TABLE links (hash INTEGER, reporter INTEGER, message INTEGER, kind INTEGER NOT NULL,"
    " PRIMARY KEY (hash, reporter, message)) WITHOUT ROWID;"
    "CREATE INDEX links_of_report ON links (message, reporter);"
    "INSERT INTO reporters VALUES (2, 1, 1, 0, 90, 90), (3, 1, 1, 0, 95, 95);"
    "INSERT INTO messages VALUES (1, 2, 0, 2, 95);"
    "INSERT INTO reports VALUES (1, 2, 1, 90, 1), (1, 3, 1, 95, 1);"
    "INSERT INTO hashes VALUES (1, zeroblob(64), 11, zeroblob(256), 1, -1, 2, 2, 0);"
    "INSERT INTO links VALUES (1, 2, 1, 1), (1, 3, 1, 1);"
    "PRAGMA application_id = 1936222066;"
    "PRAGMA user_version = 1;";

TEST(ReportTable, BringsAnOldFileUpToDate) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("r.db");
  {
    auto database = Database::open(path, Database::Access::kCreate);
    ASSERT_TRUE(database && (*database)->execute(kVersion1));
  }
  for (int start = 0; start < 2; ++start) {
    const auto table = open_table(path);
    ASSERT_NE(table, nullptr);
    EXPECT_TRUE(table->unfinished()->empty()) << "what was taught stays";
    const auto found = table->find_case("0000");
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->hashes.front().taught, 2);
    EXPECT_EQ((*found)->people.size(), 2U);
    EXPECT_FALSE(table->reporters(1)->front().resident);
  }
  // A new hash that matches it is of its case.
  const auto table = open_table(path);
  const auto outcome = table->add(of_hash(5, 4, 9, 0), one_a_supporter);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->changes.size(), 2U);
  EXPECT_EQ(outcome->changes[0].wanted, 3);
  EXPECT_EQ(outcome->changes[1].wanted, 3);
}

TEST(ReportTable, ACrashWhileItIsBroughtUpToDateChangesNothing) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("r.db");
  {
    auto database = Database::open(path, Database::Access::kCreate);
    ASSERT_TRUE(database && (*database)->execute(kVersion1));
    ASSERT_TRUE((*database)->execute("PRAGMA journal_mode = WAL"));
  }
  FaultyVfs disk;
  bool failed = false;
  for (std::int64_t writes = 0; writes < 40; ++writes) {
    disk.fail_after(writes, SQLITE_FULL);
    const auto table = ReportTable::open(path, kSite);
    disk.heal();
    if (table) break;
    failed = true;
  }
  EXPECT_TRUE(failed);
  const auto table = open_table(path);
  ASSERT_NE(table, nullptr);
  EXPECT_EQ((*table->find_case("0000"))->people.size(), 2U);
}

TEST(ReportTable, IsOfOneProcess) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  EXPECT_EQ(ReportTable::open(directory.file("r.db"), kSite).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace shingled::storage::sqlite
