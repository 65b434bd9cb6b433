#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/model/work_watcher.h"
#include "storage/sqlite/hashes/fuzzy_table.h"
#include "tests/storage/sqlite/hashes/random_row.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::formats {

/// Makes database files with random rows, and reads them.
class StoredRowsTest : public ::testing::Test {
 protected:
  sqlite::FuzzyRow random_row() { return storage::sqlite::random_row(random_); }

  /// Makes a file with these rows and returns their ids.
  static void store(const std::string& path, std::vector<sqlite::FuzzyRow>& rows) {
    auto table = sqlite::FuzzyTable::open(path, Durability::kCommit);
    ASSERT_TRUE(table) << table.error().message;
    auto transaction = (*table)->begin();
    ASSERT_TRUE(transaction);
    for (sqlite::FuzzyRow& row : rows) row.id = *(*table)->insert(row);
    ASSERT_TRUE(transaction->commit());
  }
  std::vector<sqlite::FuzzyRow> store_random(const std::string& path, std::size_t count) {
    std::vector<sqlite::FuzzyRow> rows(count);
    for (sqlite::FuzzyRow& row : rows) row = random_row();
    store(path, rows);
    return rows;
  }

  static std::vector<sqlite::FuzzyRow> rows_of(const std::string& path) {
    std::vector<sqlite::FuzzyRow> rows;
    auto table = sqlite::FuzzyTable::open_read_only(path);
    EXPECT_TRUE(table) << table.error().message;
    if (!table) return rows;
    const Status read = (*table)->for_each([&](const sqlite::FuzzyRow& row) {
      rows.push_back(row);
      return true;
    });
    EXPECT_TRUE(read) << read.error().message;
    return rows;
  }

  static void execute(const std::string& path, const char* sql) {
    auto database = sqlite::Database::open(path, sqlite::Database::Access::kCreate);
    ASSERT_TRUE(database) << database.error().message;
    const Status done = (*database)->execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }

  static bool go_on(const WorkDone&) { return true; }

  shingled::testing::TemporaryDirectory directory_;
  std::string path_ = directory_.file("fuzzy.db");
  engine::Seeded random_{20'261'122};
};

}  // namespace shingled::storage::formats
