#include "storage/formats/row_list.h"

#include <gtest/gtest.h>

#include <vector>

#include "config/base/best.h"

namespace shingled::storage::formats {
namespace {

sqlite::FuzzyRow row(std::uint8_t number, std::vector<FlagValue> lists, std::uint32_t updated) {
  sqlite::FuzzyRow out;
  out.id = number;
  out.digest.bytes.fill(number);
  for (const FlagValue& list : lists) out.flags.add(list);
  out.updated = updated;
  if (number % 2 == 0) out.shingles.emplace();
  return out;
}

const std::vector<sqlite::FuzzyRow>& rows() {
  static const std::vector<sqlite::FuzzyRow> all = {
      row(1, {{11, 5}}, 100), row(2, {{11, 9}, {12, 2}}, 300), row(3, {{12, 7}}, 200)};
  return all;
}

std::vector<std::int64_t> ids(const RowChoice& choice, RowOrder order, const HitTable& hits = {}) {
  Best<ListedRow, RowBefore> best(10, RowBefore{order});
  for (const sqlite::FuzzyRow& one : rows())
    if (auto found = listed(one, choice, order, hits)) best.add(*std::move(found));
  std::vector<std::int64_t> out;
  for (const ListedRow& one : best.take()) out.push_back(one.row.id);
  return out;
}

using Ids = std::vector<std::int64_t>;

TEST(RowList, ChoosesByAllConditions) {
  EXPECT_EQ(ids({}, RowOrder::kFile), (Ids{1, 2, 3}));
  EXPECT_EQ(ids({.flag = 12}, RowOrder::kFile), (Ids{2, 3}));
  EXPECT_EQ(ids({.flag = 12, .value_least = 5}, RowOrder::kFile), Ids{3})
      << "the value is that of the list";
  EXPECT_EQ(ids({.updated_least = 150, .updated_most = 250}, RowOrder::kFile), Ids{3});
  EXPECT_EQ(ids({.digest = "0202"}, RowOrder::kFile), Ids{2});
  EXPECT_EQ(ids({.digest = "02021"}, RowOrder::kFile), Ids{});
}

TEST(RowList, Sorts) {
  EXPECT_EQ(ids({}, RowOrder::kValue), (Ids{2, 3, 1}));
  EXPECT_EQ(ids({.flag = 12}, RowOrder::kValue), (Ids{3, 2}));
  EXPECT_EQ(ids({}, RowOrder::kNewest), (Ids{2, 3, 1}));
  EXPECT_EQ(ids({}, RowOrder::kOldest), (Ids{1, 3, 2}));
  const HitTable hits = {{rows()[0].digest, 4}, {rows()[2].digest, 9}};
  EXPECT_EQ(ids({}, RowOrder::kHits, hits), (Ids{3, 1})) << "without a hit it is not listed";
  EXPECT_EQ(parse_row_order("newest"), RowOrder::kNewest);
  EXPECT_FALSE(parse_row_order("NEWEST"));
}

TEST(RowList, LeavesShinglesOut) {
  const auto one = listed(rows()[1], {}, RowOrder::kFile, {});
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->has_shingles);
  EXPECT_FALSE(one->row.shingles);
}

}  // namespace
}  // namespace shingled::storage::formats
