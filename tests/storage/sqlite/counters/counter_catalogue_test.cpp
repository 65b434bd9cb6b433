#include "storage/sqlite/counters/counter_catalogue.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <vector>

#include "storage/sqlite/base/database.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

using testing::TemporaryDirectory;

TEST(CounterCatalogue, KeepsItsFilesLogAndTime) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("counters.db");
  {
    auto catalogue = CounterCatalogue::open(path);
    ASSERT_TRUE(catalogue) << catalogue.error().message;
    EXPECT_TRUE((*catalogue)->files()->empty());
    EXPECT_EQ(*(*catalogue)->first_log(), 0U);
    EXPECT_EQ(*(*catalogue)->time(), CatalogueTime{});
    const std::array<CataloguedFile, 2> added = {{{1, 10, 100}, {2, 20, 200}}};
    ASSERT_TRUE((*catalogue)->change({.removed = {}, .added = added, .first_log = 5}));
    ASSERT_TRUE((*catalogue)->set_time({1'700'000'000, 1'700'086'400}));
  }
  auto catalogue = CounterCatalogue::open(path);
  ASSERT_TRUE(catalogue);
  EXPECT_EQ(*(*catalogue)->files(), (std::vector<CataloguedFile>{{1, 10, 100}, {2, 20, 200}}));
  EXPECT_EQ(*(*catalogue)->first_log(), 5U);
  EXPECT_EQ(*(*catalogue)->time(), (CatalogueTime{1'700'000'000, 1'700'086'400}));

  const std::array<std::int64_t, 2> removed = {1, 2};
  const std::array<CataloguedFile, 1> merged = {{{3, 25, 230}}};
  ASSERT_TRUE((*catalogue)->change({.removed = removed, .added = merged, .first_log = 0}));
  EXPECT_EQ(*(*catalogue)->files(), (std::vector<CataloguedFile>{{3, 25, 230}}));
  EXPECT_EQ(*(*catalogue)->first_log(), 5U) << "never smaller";
}

TEST(CounterCatalogue, OfAnEarlierVersionIsUpdated) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("counters.db");
  const auto execute = [&](const char* sql) {
    auto database = Database::open(path, Database::Access::kReadWrite);
    ASSERT_TRUE(database);
    const Status done = (*database)->execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  };
  const std::array<CataloguedFile, 1> one = {{{1, 10, 100}}};
  ASSERT_TRUE(
      (*CounterCatalogue::open(path))->change({.removed = {}, .added = one, .first_log = 7}));
  execute("ALTER TABLE state DROP COLUMN changes; PRAGMA user_version = 0");
  for (int i = 0; i < 2; ++i) {
    auto catalogue = CounterCatalogue::open(path);
    ASSERT_TRUE(catalogue) << catalogue.error().message;
    EXPECT_EQ(*(*catalogue)->first_log(), 7U);
    EXPECT_TRUE((*catalogue)->change({}));
  }
  execute("PRAGMA user_version = 2");
  EXPECT_FALSE(CounterCatalogue::open(path));
}

TEST(CounterCatalogue, ChangesAllOrNothing) {
  const TemporaryDirectory directory;
  auto catalogue = CounterCatalogue::open(directory.file("counters.db"));
  ASSERT_TRUE(catalogue);
  const std::array<CataloguedFile, 1> one = {{{1, 10, 100}}};
  ASSERT_TRUE((*catalogue)->change({.removed = {}, .added = one, .first_log = 1}));
  const std::array<CataloguedFile, 2> same_id_again = {{{2, 1, 1}, {1, 1, 1}}};
  EXPECT_FALSE((*catalogue)->change({.removed = {}, .added = same_id_again, .first_log = 9}));
  EXPECT_EQ(*(*catalogue)->files(), (std::vector<CataloguedFile>{{1, 10, 100}}));
  EXPECT_EQ(*(*catalogue)->first_log(), 1U);
}

TEST(CounterCatalogue, ForgottenCounterStaysUntilAllThatItAppliesToIsGone) {
  const TemporaryDirectory directory;
  auto catalogue = CounterCatalogue::open(directory.file("counters.db"));
  ASSERT_TRUE(catalogue);
  const std::array<CataloguedFile, 1> old_file = {{{1, 10, 100, 19'000, 19'001}}};
  const std::array<ForgottenRow, 1> row = {{{0xFFFF'FFFF'FFFF'FFFF, 29, 4}}};
  ASSERT_TRUE((*catalogue)->change({.added = old_file, .first_log = 2, .forgotten = row}));
  EXPECT_EQ(*(*catalogue)->forgotten(), std::vector<ForgottenRow>(row.begin(), row.end()));
  EXPECT_EQ(*(*catalogue)->files(), std::vector<CataloguedFile>(old_file.begin(), old_file.end()));

  const std::array<std::int64_t, 1> removed = {1};
  const std::array<CataloguedFile, 1> new_file = {{{6, 10, 100}}};
  ASSERT_TRUE((*catalogue)->change({.removed = removed, .added = new_file}));
  EXPECT_EQ((*catalogue)->forgotten()->size(), 1U) << "log 4 may have it";
  ASSERT_TRUE((*catalogue)->change({.first_log = 5}));
  EXPECT_TRUE((*catalogue)->forgotten()->empty());
}

TEST(CounterCatalogue, BelongsToOneProcessAndIsNotAnyDatabase) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("counters.db");
  auto catalogue = CounterCatalogue::open(path);
  ASSERT_TRUE(catalogue);
  EXPECT_FALSE(CounterCatalogue::open(path));

  const std::string other = directory.file("other.db");
  auto database = Database::open(other, Database::Access::kCreate);
  ASSERT_TRUE(database);
  ASSERT_TRUE((*database)->execute("CREATE TABLE mails (id INTEGER)"));
  database->reset();
  const auto opened = CounterCatalogue::open(other);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace shingled::storage::sqlite
