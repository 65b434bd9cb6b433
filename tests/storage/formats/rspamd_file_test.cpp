// Covers storage/sqlite/hashes/rspamd_file.cpp.
// Writes and reads databases of rspamd's fuzzy worker (PROTOCOL.md section 5.8).
// tests/e2e/test_rspamd.py shows that the real rspamd accepts them.
#include "storage/sqlite/hashes/rspamd_file.h"

#include <gmock/gmock.h>

#include <fstream>
#include <limits>

#include "storage/sqlite/base/shingle_set.h"
#include "tests/storage/formats/stored_rows.h"

namespace shingled::storage::formats {
namespace {

using ::testing::HasSubstr;

class RspamdFileTest : public StoredRowsTest {
 protected:
  void write(const std::vector<sqlite::FuzzyRow>& rows) {
    std::ofstream(theirs_).close();
    const auto writer = sqlite::RspamdWriter::create(theirs_);
    ASSERT_TRUE(writer) << writer.error().message;
    for (const sqlite::FuzzyRow& row : rows) ASSERT_TRUE((*writer)->insert(row));
    const Status done = (*writer)->finish(go_on);
    ASSERT_TRUE(done) << done.error().message;
  }
  std::vector<sqlite::RspamdReader::Row> read() {
    std::vector<sqlite::RspamdReader::Row> rows;
    const auto reader = sqlite::RspamdReader::open(theirs_);
    EXPECT_TRUE(reader) << reader.error().message;
    const Status done = (*reader)->for_each([&](const sqlite::RspamdReader::Row& row) {
      rows.push_back(row);
      return true;
    });
    EXPECT_TRUE(done) << done.error().message;
    return rows;
  }
  std::int64_t number(const char* sql) {
    auto database = sqlite::Database::open(theirs_, sqlite::Database::Access::kReadOnly);
    EXPECT_TRUE(database);
    return *(*database)->integer(sql);
  }
  sqlite::FuzzyRow numbered_row(std::int64_t id) {
    sqlite::FuzzyRow row = random_row();
    row.id = id;
    return row;
  }

  std::string theirs_ = directory_.file("rspamd.db");
};

TEST_F(RspamdFileTest, KeepsWhatRspamdCanStore) {
  std::vector<sqlite::FuzzyRow> rows;
  for (std::int64_t id = 1; id <= 40; ++id) rows.push_back(numbered_row(id * 3));
  rows[3].shingles.reset();
  rows[4].flags.add({500, 900});
  rows[5].digest.bytes[0] = 0;     // a string of length 0 if read as TEXT
  rows[6].digest.bytes[0] = 0xff;  // not valid UTF-8
  write(rows);
  const auto back = read();
  ASSERT_EQ(back.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(back[i].problem, "");
    EXPECT_EQ(back[i].row.digest, rows[i].digest);
    EXPECT_EQ(back[i].row.shingles, rows[i].shingles);
    EXPECT_EQ(back[i].row.updated, rows[i].updated);
    EXPECT_EQ(back[i].row.flags.size(), 1U);
    EXPECT_EQ(back[i].row.flags.front(), rows[i].flags.front());
    EXPECT_EQ(back[i].slots, rows[i].shingles ? 32U : 0U);
  }
  EXPECT_EQ(number("SELECT count(*) FROM digests WHERE typeof(digest) = 'text'"), 40);
  EXPECT_EQ(number("SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"),
            4);
}

TEST_F(RspamdFileTest, ASharedSlotGoesToTheNewestRowAndIsLostForOthers) {
  std::vector<sqlite::FuzzyRow> rows = {numbered_row(1), numbered_row(2), numbered_row(3)};
  std::copy_n(rows[0].shingles->begin(), 10, rows[1].shingles->begin());  // row 1 keeps 22 slots
  std::copy_n(rows[0].shingles->begin() + 16, 16, rows[2].shingles->begin() + 16);  // then 6 slots
  write(rows);
  EXPECT_EQ(number("SELECT count(*) FROM shingles"), 96 - 26);
  const auto back = read();
  ASSERT_EQ(back.size(), 3U);
  EXPECT_EQ(back[0].slots, 6U);
  EXPECT_FALSE(back[0].row.shingles) << "six slots are not enough for a match";
  EXPECT_EQ(back[1].row.shingles, rows[1].shingles);
  EXPECT_EQ(back[2].row.shingles, rows[2].shingles);
}

TEST_F(RspamdFileTest, LostSlotsStayLostInEachCopy) {
  std::vector<sqlite::FuzzyRow> rows = {numbered_row(1), numbered_row(2)};
  std::copy_n(rows[0].shingles->begin(), 10, rows[1].shingles->begin());
  write(rows);
  std::vector<sqlite::FuzzyRow> again;
  for (const auto& row : read()) {
    again.push_back(row.row);
    again.back().id = row.id;
  }
  ASSERT_TRUE(again[0].shingles);
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    EXPECT_EQ((*again[0].shingles)[slot],
              slot < 10 ? sqlite::lost_slot(rows[0].digest, slot) : (*rows[0].shingles)[slot]);
  }
  const auto shingles = number("SELECT count(*) FROM shingles");
  write(again);
  EXPECT_EQ(number("SELECT count(*) FROM shingles"), shingles);
  EXPECT_EQ(read()[0].slots, 22U);
}

TEST_F(RspamdFileTest, RefusedRowsSayWhy) {
  struct Case {
    const char* sql;
    const char* problem;
  };
  constexpr Case kCases[] = {
      {"UPDATE digests SET digest = 'short'", "5 bytes long, not 64"},
      {"UPDATE digests SET flag = -1", "flag -1 is out of range"},
      {"UPDATE digests SET flag = 1 << 40", "out of range"},
      {"UPDATE digests SET time = NULL", "time is missing or out of range"},
      {"UPDATE digests SET time = -1", "time is missing or out of range"},
  };
  for (const Case& c : kCases) {
    write({numbered_row(1)});
    execute(theirs_, c.sql);
    const auto rows = read();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_THAT(rows[0].problem, HasSubstr(c.problem)) << c.sql;
  }
}

TEST_F(RspamdFileTest, AcceptsOdditiesOfRealFiles) {
  write({numbered_row(5)});
  execute(theirs_,
          "UPDATE digests SET value = NULL;"
          "INSERT INTO shingles VALUES (1, 0, 4), (2, 0, 99), (3, 77, 5), (4, 1, NULL)");
  auto rows = read();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].problem, "");
  EXPECT_EQ(rows[0].row.flags.front().value, 0);
  EXPECT_EQ(rows[0].slots, 32U);
  execute(theirs_, "UPDATE digests SET value = 1 << 60");
  EXPECT_EQ(read()[0].row.flags.front().value, std::numeric_limits<std::int32_t>::max());
  // A schema without the third table and without indices.
  execute(theirs_, "DROP TABLE sources; DROP INDEX s; DROP INDEX dgst_id; DROP INDEX d");
  EXPECT_EQ(read()[0].slots, 32U);
}

TEST_F(RspamdFileTest, RefusesOtherDatabases) {
  execute(theirs_, "CREATE TABLE digests (id INTEGER PRIMARY KEY, digest BLOB)");
  const auto reader = sqlite::RspamdReader::open(theirs_);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace shingled::storage::formats
