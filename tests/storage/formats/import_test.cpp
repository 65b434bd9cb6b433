#include "storage/formats/import.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <limits>

#include "storage/engine/engine.h"
#include "storage/formats/verify.h"
#include "tests/storage/formats/replicated_rows.h"
#include "tests/storage/sqlite/base/faulty_vfs.h"

namespace shingled::storage::formats {
namespace {

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();

FlagSet lists(std::initializer_list<FlagValue> values) {
  FlagSet flags;
  for (const FlagValue& value : values) flags.add(value);
  return flags;
}

class ImportTest : public StoredRowsTest {
 protected:
  std::unique_ptr<Import> open(MergeRule rule) {
    auto import = Import::open(path_, rule, go_on);
    EXPECT_TRUE(import) << import.error().message;
    return *std::move(import);
  }
};

TEST_F(ImportTest, EachRuleMergesAsDocumented) {
  struct Case {
    const char* why;
    MergeRule rule;
    FlagSet stored;
    FlagSet coming;
    FlagSet merged;
  };
  const Case cases[] = {
      {"the values of each list are added", MergeRule::kSum, lists({{1, 5}, {2, 3}}),
       lists({{2, 9}, {3, -4}}), lists({{2, 12}, {1, 5}, {3, -4}})},
      {"a sum saturates", MergeRule::kSum, lists({{1, kMost}}), lists({{1, 1}}),
       lists({{1, kMost}})},
      {"the larger value of each list", MergeRule::kLarger, lists({{1, 5}, {2, 3}}),
       lists({{1, 4}, {2, 9}, {3, 1}}), lists({{2, 9}, {1, 5}, {3, 1}})},
      {"kLarger keeps negative values", MergeRule::kLarger, lists({{1, -5}}),
       lists({{1, -9}, {2, -1}}), lists({{2, -1}, {1, -5}})},
      {"a ninth list replaces a smaller value", MergeRule::kSum,
       lists({{1, 9}, {2, 8}, {3, 7}, {4, 6}, {5, 5}, {6, 4}, {7, 3}, {8, 2}}),
       lists({{9, 1}, {10, 50}}),
       lists({{10, 50}, {1, 9}, {2, 8}, {3, 7}, {4, 6}, {5, 5}, {6, 4}, {7, 3}})},
      {"kSkip keeps the stored row", MergeRule::kSkip, lists({{1, 5}}), lists({{2, 9}}),
       lists({{1, 5}})},
      {"kReplace replaces the stored row", MergeRule::kReplace, lists({{1, 5}}), lists({{2, 9}}),
       lists({{2, 9}})},
  };
  for (const Case& c : cases) {
    sqlite::FuzzyRow stored = random_row();
    stored.flags = c.stored;
    sqlite::FuzzyRow coming = random_row();
    coming.flags = c.coming;
    EXPECT_EQ(merged(stored, coming, c.rule).flags, c.merged) << c.why;
  }
}

TEST_F(ImportTest, TimesSourceAndShinglesFollowTheRule) {
  sqlite::FuzzyRow stored = random_row();
  sqlite::FuzzyRow coming = random_row();
  stored.id = 7;
  coming.created = stored.created - 10;
  coming.updated = stored.updated + 10;
  const sqlite::FuzzyRow later = merged(stored, coming, MergeRule::kSum);
  EXPECT_EQ(std::tuple(later.id, later.created, later.updated, later.source, later.shingles),
            std::tuple(7, coming.created, coming.updated, coming.source, stored.shingles));
  coming.updated = stored.updated - 5;
  const sqlite::FuzzyRow earlier = merged(stored, coming, MergeRule::kLarger);
  EXPECT_EQ(std::tuple(earlier.created, earlier.updated, earlier.source),
            std::tuple(coming.created, stored.updated, stored.source));
  stored.shingles.reset();
  EXPECT_EQ(merged(stored, coming, MergeRule::kSum).shingles, coming.shingles);
}

TEST_F(ImportTest, AddsNewRowsAndMergesStoredOnes) {
  auto rows = store_random(path_, 50);
  {
    const auto import = open(MergeRule::kSum);
    for (const sqlite::FuzzyRow& row : rows) ASSERT_TRUE(import->take(row));
    const sqlite::FuzzyRow fresh = random_row();
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(import->take(fresh));  // a stored row from the second time on
    ASSERT_TRUE(import->commit());
    EXPECT_EQ(import->counts().added, 1U);
    EXPECT_EQ(import->counts().merged, 52U);
    for (sqlite::FuzzyRow& row : rows) row.flags.add(row.flags.front());
    rows.push_back(fresh);
    rows.back().id = 51;
    rows.back().flags.add({fresh.flags.front().flag, 2 * fresh.flags.front().value});
  }
  EXPECT_EQ(rows_of(path_), rows);
  const auto report = verify_file(path_, {.now = 1'800'000'000}, go_on);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->problems, ::testing::IsEmpty());
}

TEST_F(ImportTest, ASecondImportWithLargerChangesNothing) {
  const auto rows = store_random(path_, 20);
  const auto import = open(MergeRule::kLarger);
  for (const sqlite::FuzzyRow& row : rows) ASSERT_TRUE(import->take(row));
  ASSERT_TRUE(import->commit());
  EXPECT_EQ(import->counts().unchanged, 20U);
  EXPECT_EQ(rows_of(path_), rows);
}

TEST_F(ImportTest, WithoutACommitTheStorageDoesNotChange) {
  const auto rows = store_random(path_, 20);
  {
    const auto import = open(MergeRule::kSum);
    for (const sqlite::FuzzyRow& row : rows) ASSERT_TRUE(import->take(row));
    for (int i = 0; i < 20'000; ++i)
      ASSERT_TRUE(import->take(random_row()));  // more than the cache of SQLite can hold
  }
  EXPECT_EQ(rows_of(path_), rows);
}

TEST_F(ImportTest, OnAFullDiskTheStorageDoesNotChange) {
  const auto rows = store_random(path_, 20);
  std::int64_t needed = 0;
  {
    sqlite::FaultyVfs vfs;
    const auto import = open(MergeRule::kSum);
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(import->take(random_row()));
    const std::int64_t before = vfs.writes();
    vfs.fail_after(0, SQLITE_FULL);
    const Status done = import->commit();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::kUnavailable) << done.error().message;
    needed = vfs.writes() - before;
  }
  EXPECT_GT(needed, 0);
  EXPECT_EQ(rows_of(path_), rows);
}

TEST_F(ImportTest, IsRefusedWhileAnEngineHasTheFile) {
  EngineOptions options;
  options.hashfile = path_;
  SystemClock clock;
  NullLogger logger;
  const auto engine = engine::Engine::open(options, clock, logger);
  ASSERT_TRUE(engine);
  const auto import = Import::open(path_, MergeRule::kSum, go_on);
  ASSERT_FALSE(import);
  EXPECT_EQ(import.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(import.error().message,
              ::testing::HasSubstr("has it open (process " + std::to_string(::getpid()) + ")"));
}

TEST_F(ImportTest, AnEngineFindsTheImportedRows) {
  const sqlite::FuzzyRow row = random_row();
  {
    const auto import = open(MergeRule::kSum);
    ASSERT_TRUE(import->take(row));
    ASSERT_TRUE(import->commit());
  }
  EngineOptions options;
  options.hashfile = path_;
  options.expire = std::chrono::seconds(0);
  SystemClock clock;
  NullLogger logger;
  const auto engine = engine::Engine::open(options, clock, logger);
  ASSERT_TRUE(engine);
  Digest other = row.digest;
  other.bytes[0] ^= 1;
  const auto match = (*engine)->check(other, &*row.shingles, 1'800'000'000);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->digest, row.digest);
  EXPECT_EQ(match->created, row.created);
}

TEST(PlausibleTimes, ReplaceOddTimesOfAHash) {
  constexpr std::uint32_t kNow = 1'700'000'000;
  constexpr std::uint32_t kLatest = kNow + 86'400;
  using Times = std::pair<std::uint32_t, std::uint32_t>;  // created, updated
  const struct {
    const char* why;
    Times coming;
    Times taken;
  } cases[] = {
      {"normal times", {1'000, 2'000}, {1'000, 2'000}},
      {"the clock was set back", {2'000, 1'000}, {2'000, 2'000}},
      {"no time is known", {0, 0}, {kNow, kNow}},
      {"only `updated` is known", {0, 2'000}, {2'000, 2'000}},
      {"only `created` is known", {1'000, 0}, {1'000, kNow}},
      {"the clock is a little ahead", {kNow, kLatest}, {kNow, kLatest}},
      {"it would never expire", {1'000, 4'294'967'295}, {1'000, kLatest}},
      {"both far ahead", {4'294'967'295, kNow}, {kLatest, kLatest}},
  };
  for (const auto& c : cases) {
    sqlite::FuzzyRow row;
    row.created = c.coming.first;
    row.updated = c.coming.second;
    const sqlite::FuzzyRow taken = with_plausible_times(row, kNow);
    EXPECT_EQ(Times(taken.created, taken.updated), c.taken) << c.why;
  }
}

class ImportIntoMirror : public ReplicatedRowsTest {
 protected:
  void import(const Digest& digest, FlagSet flags, MergeRule rule) {
    auto import = Import::open(path_, rule, go_on);
    ASSERT_TRUE(import) << import.error().message;
    sqlite::FuzzyRow row = random_row();
    row.digest = digest;
    row.flags = flags;
    row.updated = kPartsNow - 10;
    ASSERT_TRUE((*import)->take(row));
    ASSERT_TRUE((*import)->commit());
  }
  FlagSet flags_of(const Digest& digest) {
    for (const sqlite::FuzzyRow& row : rows_of(path_)) {
      if (row.digest == digest) return row.flags;
    }
    return {};
  }
  std::int64_t count(const char* query) {
    return sqlite::Database::open(path_, sqlite::Database::Access::kReadOnly)
        .value()
        ->integer(query)
        .value();
  }
};

// If other stores teach the digest, too, only the own part changes. The row is the sum of all
// parts.
TEST_F(ImportIntoMirror, ChangesOnlyTheOwnPart) {
  const struct {
    const char* why;
    const Digest& digest;
    MergeRule rule;
    FlagSet coming;
    FlagSet whole;
  } cases[] = {
      {"the own part grows", third_, MergeRule::kSum, lists({{7, 10}}),
       lists({{7, 17}, {8, 4}, {9, 1}})},
      {"the larger value of the own part", third_, MergeRule::kLarger, lists({{9, 6}}),
       lists({{7, 17}, {9, 6}, {8, 4}})},
      {"the own part is replaced, the other stays", third_, MergeRule::kReplace, lists({{5, 1}}),
       lists({{8, 4}, {7, 2}, {5, 1}})},
      {"there was no own part", fourth_, MergeRule::kSum, lists({{8, 2}}), lists({{8, 3}})},
  };
  for (const auto& c : cases) {
    import(c.digest, c.coming, c.rule);
    EXPECT_EQ(flags_of(c.digest), c.whole) << c.why;
    const auto report = verify_file(path_, {.now = kPartsNow}, go_on);
    ASSERT_TRUE(report);
    EXPECT_THAT(report->problems, ::testing::IsEmpty()) << c.why;
  }
  EXPECT_EQ(count("SELECT count(*) FROM parts WHERE store = 1"), 2);
}

// The changes of an import are not in the journal, so mirrors must compare everything.
TEST_F(ImportIntoMirror, EmptiesTheJournalAndKeepsTakebacks) {
  ASSERT_NE(count("SELECT count(*) FROM journal"), 0);
  import(third_, lists({{ 7, 1 }}), MergeRule::kSum);
  EXPECT_EQ(count("SELECT count(*) FROM journal"), 0);
  EXPECT_EQ(count("SELECT count(*) FROM journal_eras"), 0);
  EXPECT_EQ(count("SELECT count(*) FROM takebacks"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM stores"), 2);
}

}  // namespace
}  // namespace shingled::storage::formats
