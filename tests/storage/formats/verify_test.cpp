// Covers storage/formats/row_audit.cpp, storage/formats/replica_audit.cpp,
// storage/sqlite/base/shingle_set.cpp.
#include "storage/formats/verify.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/storage/formats/replicated_rows.h"

namespace shingled::storage::formats {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t kNow = 1'700'000'200;

class VerifyTest : public StoredRowsTest {
 protected:
  Result<VerifyReport> verify() { return verify_file(path_, {.now = kNow}, go_on); }
};

TEST_F(VerifyTest, FindsNoProblemInASoundFileAndCounts) {
  std::vector<sqlite::FuzzyRow> rows(300);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = random_row();
    if (i % 3 == 0) rows[i].shingles.reset();
    for (std::uint32_t extra = 0; extra < i % 8; ++extra) rows[i].flags.add({1000 + extra, 1});
  }
  store(path_, rows);
  const auto report = verify();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->problems, IsEmpty());
  EXPECT_EQ(report->rows, 300U);
  EXPECT_EQ(report->with_shingles, 200U);
  std::uint64_t lists = 0;
  for (const sqlite::FuzzyRow& row : rows) lists += row.flags.size();
  EXPECT_EQ(report->lists, lists);
  EXPECT_EQ(report->crowded, 0U);
}

TEST_F(VerifyTest, MoreSimilarRowsThanASlotKeepsAreNotDamage) {
  std::vector<sqlite::FuzzyRow> rows(100);
  const Shingles same = engine::random_shingles(random_);
  for (sqlite::FuzzyRow& row : rows) {
    row = random_row();
    row.shingles = same;
  }
  store(path_, rows);
  const auto report = verify();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->problems, IsEmpty());
}

TEST_F(VerifyTest, NamesEachDamage) {
  struct Case {
    const char* sql;
    const char* problem;
  };
  // Rows 1 to 5 have one list each, except row 3: it has flags 7 (value 5) and 8 (value 1).
  constexpr Case kCases[] = {
      {"UPDATE digests SET digest = x'0102' WHERE id = 2", "row 2: digest is not 64 bytes"},
      {"UPDATE digests SET digest = (SELECT digest FROM digests WHERE id = 1) WHERE id = 4",
       "row 4: has the digest of row 1"},
      {"UPDATE digests SET digest = CAST(digest AS TEXT) WHERE id = 2",
       "row 2: a column has the wrong type"},
      {"UPDATE digests SET shingle_set = x'00' WHERE id = 5",
       "row 5: shingle_set is not 256 bytes"},
      {"UPDATE digests SET shingle_set = zeroblob(257) WHERE id = 5",
       "shingle_set is not 256 bytes"},
      {"UPDATE digests SET flag = -1 WHERE id = 1", "row 1: flag is out of range"},
      {"UPDATE digests SET flag = 4294967296 WHERE id = 1", "row 1: flag is out of range"},
      {"UPDATE digests SET value = 2147483648 WHERE id = 1", "row 1: value is out of range"},
      {"UPDATE digests SET value = 'many' WHERE id = 1", "row 1: a column has the wrong type"},
      {"UPDATE digests SET time = -5 WHERE id = 1", "row 1: time or created is out of range"},
      {"UPDATE digests SET id = -4 WHERE id = 1", "row -4: id is out of range"},
      {"UPDATE digests SET id = 1099511627776 WHERE id = 1", "id is out of range"},
      {"DELETE FROM digests WHERE id = 3", "extra_flags row (3, 8): there is no such row"},
      {"INSERT INTO extra_flags VALUES (99, 1, 1)",
       "extra_flags row (99, 1): there is no such row"},
      {"UPDATE extra_flags SET flag = 7", "extra_flags row (3, 7): is in digests, too"},
      {"UPDATE extra_flags SET value = 6", "extra_flags row (3, 8): should be in digests"},
      {"UPDATE extra_flags SET value = 5, flag = 6", "(3, 6): should be in digests"},
      {"UPDATE extra_flags SET value = 1 << 40", "(3, 8): value is out of range"},
      {"UPDATE extra_flags SET flag = -1", "(3, -1): flag is out of range"},
      {"UPDATE extra_flags SET value = x'05'", "(3, 8): a column has the wrong type"},
      {"INSERT INTO recent_updates VALUES (1, 5, zeroblob(24))", "recent_updates row 1: its names"},
      {"INSERT INTO sealed_updates VALUES (1, 5, zeroblob(12))", "sealed_updates row 1: its names"},
      {"WITH RECURSIVE n(i) AS (SELECT 20 UNION ALL SELECT i + 1 FROM n WHERE i < 27)"
       " INSERT INTO extra_flags SELECT 3, i, 0 FROM n",
       "row 3: is on more than 8 lists"},
  };
  for (const Case& damage : kCases) {
    std::filesystem::remove(path_);
    std::vector<sqlite::FuzzyRow> rows(5);
    for (sqlite::FuzzyRow& row : rows) row = random_row();
    rows[2].flags.clear();
    rows[2].flags.add({7, 5});
    rows[2].flags.add({8, 1});
    store(path_, rows);
    execute(path_, damage.sql);
    const auto report = verify();
    ASSERT_TRUE(report) << damage.sql;
    EXPECT_THAT(report->problems, Contains(HasSubstr(damage.problem))) << damage.sql;
  }
}

TEST_F(VerifyTest, ATimeOfAWrongClockIsAWarning) {
  struct Case {
    const char* sql;
    const char* warning;
  };
  constexpr Case kCases[] = {
      {"UPDATE digests SET time = 0, created = 0 WHERE id = 1", "row 1: time or created is 0"},
      {"UPDATE digests SET created = time + 1 WHERE id = 1", "row 1: created is after time"},
      {"UPDATE digests SET time = 1700086601 WHERE id = 1", "row 1: time is in the future"},
  };
  for (const Case& odd : kCases) {
    std::filesystem::remove(path_);
    store_random(path_, 3);
    execute(path_, odd.sql);
    const auto report = verify();
    ASSERT_TRUE(report) << odd.sql;
    EXPECT_THAT(report->problems, IsEmpty()) << odd.sql;
    EXPECT_EQ(report->warning_count, 1U) << odd.sql;
    EXPECT_THAT(report->warnings, Contains(HasSubstr(odd.warning))) << odd.sql;
  }
}

class ReplicatedFile : public ReplicatedRowsTest {
 protected:
  Result<VerifyReport> verify() { return verify_file(path_, {.now = kNow}, go_on); }
};

TEST_F(ReplicatedFile, IsSound) {
  const auto report = verify();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->problems, IsEmpty());
}

TEST_F(ReplicatedFile, NamesEachDamage) {
  struct Case {
    const char* sql;
    const char* problem;
  };
  constexpr Case kCases[] = {
      {"UPDATE stores SET id = x'01' WHERE number = 1", "stores row 1: its name is not 16 bytes"},
      {"UPDATE stores SET number = 65 WHERE number = 1", "stores row 65: number is out of range"},
      {"UPDATE stores SET era = 'x' WHERE number = 1", "stores row 1: a column has the wrong type"},
      {"DELETE FROM stores WHERE number = 1", "parts row (3, 1): there is no such store"},
      {"DELETE FROM stores WHERE number = 1", "takebacks row 1: there is no such store"},
      {"DELETE FROM stores WHERE number = 0", "journal: this store has no name"},
      {"DELETE FROM digests WHERE id = 4", "parts row (4, 1): there is no such row in digests"},
      {"UPDATE parts SET flags = x'01' WHERE digest_id = 3 AND store = 1",
       "parts row (3, 1): flags or shingle_set has a wrong length"},
      {"UPDATE parts SET shingle_set = x'01' WHERE digest_id = 3 AND store = 1",
       "parts row (3, 1): flags or shingle_set has a wrong length"},
      // Flags 1 and 2 with value 0: first in the wrong order, then flag 1 twice.
      {"UPDATE parts SET flags = x'02000000000000000100000000000000' WHERE digest_id = 4",
       "parts row (4, 1): its flags are not sorted"},
      {"UPDATE parts SET flags = x'01000000000000000100000000000000' WHERE digest_id = 4",
       "parts row (4, 1): its flags are not sorted"},
      {"UPDATE parts SET updated = -1 WHERE digest_id = 4", "updated or created is out of range"},
      {"UPDATE parts SET mark = -1 WHERE digest_id = 4",
       "parts row (4, 1): a column has the wrong type"},
      {"DELETE FROM parts WHERE digest_id = 3 AND store = 1",
       "parts of digests row 3: no other store has a part"},
      {"DELETE FROM parts WHERE digest_id = 3 AND store = 0",
       "digests row 3: is not the sum of its parts"},
      {"UPDATE digests SET value = value + 1 WHERE id = 4",
       "digests row 4: is not the sum of its parts"},
      {"DELETE FROM extra_flags WHERE digest_id = 3 AND flag = 9",
       "digests row 3: is not the sum of its parts"},
      {"UPDATE digests SET time = time + 1 WHERE id = 4", "row 4: is not the sum"},
      {"UPDATE digests SET source = ~source WHERE id = 4", "row 4: is not the sum"},
      {"UPDATE parts SET shingle_set = zeroblob(256) WHERE digest_id = 4", "row 4: is not the sum"},
      {"UPDATE takebacks SET flag = 8; UPDATE parts SET mark = 0 WHERE digest_id = 4",
       "takebacks row 1: does not hide the lists that it asks to delete"},
      {"UPDATE takebacks SET flag = 0; UPDATE parts SET mark = 0 WHERE digest_id = 4",
       "takebacks row 1: does not hide the lists that it asks to delete"},
      {"UPDATE takebacks SET digest = x'01'", "takebacks row 1: digest is not 64 bytes"},
      {"UPDATE takebacks SET store = 0", "takebacks row 1: asks this store itself"},
      {"UPDATE takebacks SET flag = -1", "takebacks row 1: flag or created is out of range"},
      {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 65536)"
       " INSERT INTO takebacks (digest, store, flag, created) SELECT randomblob(64), 1, 0, 1 FROM "
       "n",
       "takebacks: more than 65536"},
      {"UPDATE journal SET digest = x'01' WHERE number = 1",
       "journal row 1: digest is not 64 bytes"},
      {"UPDATE journal SET number = 0 WHERE number = 1", "journal row 0: number is out of range"},
      {"UPDATE journal SET time = -1 WHERE number = 1", "journal row 1: time is out of range"},
      {"UPDATE journal SET digest_id = -2 WHERE number = 1", "row 1: digest_id is out of range"},
      {"UPDATE journal SET flag = 3 WHERE number = 1", "journal row 1: a change of an own part"},
      {"UPDATE journal SET store = NULL WHERE number = 2",
       "journal row 2: a takeback or its answer needs"},
      {"UPDATE journal SET store = x'01' WHERE number = 3",
       "journal row 3: a takeback or its answer needs"},
      {"DELETE FROM journal_eras", "journal: its oldest entry is in no era"},
      {"UPDATE journal_eras SET era = 0 WHERE first = 1", "journal_eras row 1: it has no era"},
  };
  const std::string original = directory_.file("original.db");
  execute(path_, "PRAGMA journal_mode = DELETE");
  std::filesystem::copy_file(path_, original);
  for (const Case& damage : kCases) {
    std::filesystem::copy_file(original, path_, std::filesystem::copy_options::overwrite_existing);
    execute(path_, damage.sql);
    const auto report = verify();
    ASSERT_TRUE(report) << damage.sql;
    EXPECT_THAT(report->problems, Contains(HasSubstr(damage.problem))) << damage.sql;
  }
}

TEST_F(ReplicatedFile, AWrongTimeOfAMasterIsAWarning) {
  struct Case {
    const char* sql;
    const char* warning;
  };
  constexpr Case kCases[] = {
      {"UPDATE parts SET updated = 0 WHERE digest_id = 4", "updated or created is 0"},
      {"UPDATE parts SET created = updated + 1 WHERE digest_id = 4", "created is after updated"},
      {"UPDATE parts SET updated = 1700086601 WHERE digest_id = 4", "updated is in the future"},
  };
  const std::string original = directory_.file("original.db");
  execute(path_, "PRAGMA journal_mode = DELETE");
  std::filesystem::copy_file(path_, original);
  for (const Case& odd : kCases) {
    std::filesystem::copy_file(original, path_, std::filesystem::copy_options::overwrite_existing);
    execute(path_, odd.sql);
    // Make the row the sum of its parts again.
    execute(path_,
            "UPDATE digests SET time = (SELECT updated FROM parts WHERE digest_id = 4),"
            " created = (SELECT created FROM parts WHERE digest_id = 4) WHERE id = 4");
    const auto report = verify();
    ASSERT_TRUE(report) << odd.sql;
    EXPECT_THAT(report->problems, IsEmpty()) << odd.sql;
    EXPECT_THAT(report->warnings, Contains(HasSubstr(odd.warning))) << odd.sql;
  }
}

TEST_F(VerifyTest, ChecksASnapshotWhileAWriterGoesOn) {
  const auto rows = store_random(path_, 5000);
  auto writer = sqlite::FuzzyTable::open(path_, Durability::kCommit);
  ASSERT_TRUE(writer);
  const auto report = verify_file(path_, {.now = kNow}, [&](const WorkDone&) {
    EXPECT_TRUE((*writer)->insert(random_row()));
    EXPECT_TRUE((*writer)->insert(rows.front()));  // damage after the snapshot
    return true;
  });
  ASSERT_TRUE(report);
  EXPECT_THAT(report->problems, IsEmpty());
  EXPECT_EQ(report->rows, 5000U);
}

// A file that is cut or damaged at any place never passes, and nothing crashes.
TEST_F(VerifyTest, ATruncatedOrScratchedFileNeverPasses) {
  store_random(path_, 500);
  execute(path_, "PRAGMA journal_mode = DELETE");
  const auto whole = std::filesystem::file_size(path_);
  const std::string original = directory_.file("original.db");
  std::filesystem::copy_file(path_, original);
  const auto expect_found = [&](std::uintmax_t where) {
    const auto report = verify();
    if (report) {
      EXPECT_NE(report->problem_count, 0U) << where;
    } else {
      EXPECT_EQ(report.error().code, ErrorCode::kCorrupt) << report.error().message;
    }
  };
  for (std::uintmax_t size = 100; size < whole; size += whole / 23) {
    std::filesystem::copy_file(original, path_, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path_, size);
    expect_found(size);
  }
  for (std::uintmax_t page = 1; page * 4096 < whole; page += 5) {
    std::filesystem::copy_file(original, path_, std::filesystem::copy_options::overwrite_existing);
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(page * 4096));
    file << std::string(64, '\xee');
    file.close();
    expect_found(page * 4096);
  }
}

TEST_F(VerifyTest, SaysWhyAFileCannotBeChecked) {
  const auto expect = [&](ErrorCode code) {
    const auto report = verify();
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, code) << report.error().message;
    EXPECT_THAT(report.error().message, HasSubstr(path_));
  };
  expect(ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(path_));
  std::ofstream(path_) << std::string(5000, 'x');
  expect(ErrorCode::kCorrupt);
  std::filesystem::remove(path_);
  execute(path_, "CREATE TABLE mail (subject TEXT)");
  expect(ErrorCode::kCorrupt);
  std::filesystem::remove(path_);
  store_random(path_, 1);
  execute(path_, "PRAGMA user_version = 99");
  expect(ErrorCode::kInvalid);
}

TEST_F(VerifyTest, StopsWhenTold) {
  store_random(path_, 5000);
  for (int steps = 0; steps < 4; ++steps) {
    int left = steps;
    const auto report =
        verify_file(path_, {.now = kNow}, [&](const WorkDone&) { return left-- > 0; });
    ASSERT_FALSE(report) << steps;
    EXPECT_EQ(report.error(), stopped());
  }
}

}  // namespace
}  // namespace shingled::storage::formats
