#include "milter/desk/counters/import_batch.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shingled::milter::desk {
namespace {

std::string line_of(std::uint64_t shingle, unsigned slot) {
  const storage::counters::CountName name{
      {shingle, PieceType::kFrom}, {}, {storage::counters::Period::Unit::kSlot, slot}};
  return R"({"name":")" + to_string(name) + R"(","count":1})";
}

TEST(ImportLine, NeedsANameAndACount) {
  EXPECT_TRUE(read_import_line(line_of(7, 3)).has_value());
  for (const char* line :
       {"", "7", "[]", "{}", R"({"name":7,"count":1})", R"({"name":"mass","count":1})",
        R"({"name":"mass_in_5791f8cac2b7d8dd_14_10m_1","count":-1})",
        R"({"name":"mass_in_5791f8cac2b7d8dd_14_10m_1","count":1.5})",
        R"({"name":"mass_in_5791f8cac2b7d8dd_14_10m_1","count":9223372036854775808})",
        R"({"name":"mass_in_5791f8cac2b7d8dd_14_10m_1"})"}) {
    EXPECT_FALSE(read_import_line(line).has_value()) << line;
  }
}

TEST(ImportBatches, KeepTheLinesOfACounterTogether) {
  std::vector<ImportBatches::Batch> batches;
  ImportBatches import([&](ImportBatches::Batch batch) -> Status {
    batches.push_back(std::move(batch));
    return {};
  });
  std::uint64_t number = 0;
  std::string all;
  for (std::uint64_t counter = 1; counter <= 60; ++counter) {
    for (unsigned slot = 0; slot < 144; ++slot) {
      const std::string line = line_of(counter, slot);
      all += line + '\n';
      ASSERT_TRUE(import.add(read_import_line(line).value(), line, ++number).has_value());
    }
  }
  ASSERT_TRUE(import.finish().has_value());
  ASSERT_TRUE(import.finish().has_value());
  EXPECT_GT(batches.size(), 1U);
  std::string sent;
  std::uint64_t next = 1;
  for (const auto& batch : batches) {
    EXPECT_EQ(std::count(batch.lines.begin(), batch.lines.end(), '\n') % 144, 0);
    EXPECT_EQ(batch.first, next);
    next = batch.next;
    sent += batch.lines;
  }
  EXPECT_EQ(sent, all);
  EXPECT_EQ(next, number + 1);
}

}  // namespace
}  // namespace shingled::milter::desk
