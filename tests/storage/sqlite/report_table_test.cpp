// Covers storage/sqlite/report_schema.cpp, storage/sqlite/report_statements.cpp and
// storage/sqlite/report_upkeep.cpp, too.
#include "storage/sqlite/report_table.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "tests/storage/sqlite/faulty_vfs.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

using What = ReportOutcome::What;

constexpr std::uint64_t kSite = UINT64_MAX - 5;

Result<WantedWeight> one_a_supporter(const ReportedHash& /*hash*/,
                                     std::span<const Supporter> supporters) {
  return WantedWeight{static_cast<std::int32_t>(supporters.size()), 7};
}

ReportRow row(std::uint64_t message, std::uint64_t reporter, ReportKind kind,
              std::int64_t time = 100) {
  ReportRow out{message, reporter, kind, time, {}};
  out.hashes.push_back({.flag = 11, .per_spam = 1, .per_ham = -1});
  out.hashes.back().fingerprint.shingles.emplace().fill(5);
  return out;
}

std::unique_ptr<ReportTable> open_table(const std::string& path) {
  auto table = ReportTable::open(path, kSite);
  if (!table) ADD_FAILURE() << table.error().message;
  return table ? *std::move(table) : nullptr;
}

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
  EXPECT_EQ(other("PRAGMA application_id = 1936222066; PRAGMA user_version = 2"),
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

TEST(ReportTable, IsOfOneProcess) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  EXPECT_EQ(ReportTable::open(directory.file("r.db"), kSite).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace shingled::storage::sqlite
