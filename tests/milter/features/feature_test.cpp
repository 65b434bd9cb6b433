#include "milter/features/feature.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace shingled::milter::features {
namespace {

TEST(Feature, HasOneRowEachWithNameHelpAndSource) {
  std::set<std::string_view> names;
  for (const FeatureRow& row : features()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.help.empty() || row.help.ends_with('.')) << row.name;
    EXPECT_FALSE(row.source.empty()) << row.name;
    EXPECT_EQ(row.unit.empty(), row.type != FeatureRow::Type::kNumber) << row.name;
    EXPECT_EQ(find_feature(row.name), &row);
    EXPECT_EQ(&row_of(row.feature), &row);
  }
  EXPECT_EQ(names.size(), kFeatures);
  EXPECT_EQ(find_feature("byte"), nullptr);
}

TEST(FeatureValues, AreUnknownUntilTheyAreSet) {
  FeatureValues values;
  for (const FeatureRow& row : features()) {
    EXPECT_FALSE(values.is_known(row.feature));
    EXPECT_EQ(to_string(values, row.feature), "unknown");
  }
  values.set_number(Feature::kBytes, 1200);
  values.set_yes(Feature::kLocal, true);
  values.set_yes(Feature::kHtml, false);
  values.set_word(Feature::kSpf, "fail");
  EXPECT_EQ(to_string(values, Feature::kBytes), "1200");
  EXPECT_EQ(to_string(values, Feature::kLocal), "yes");
  EXPECT_EQ(to_string(values, Feature::kHtml), "no");
  EXPECT_EQ(to_string(values, Feature::kSpf), "fail");
  EXPECT_TRUE(values.is_known(Feature::kHtml));
  EXPECT_EQ(values.number(Feature::kHtml), 0U);
}

TEST(FeatureRowType, HasAName) {
  EXPECT_EQ(to_string(FeatureRow::Type::kNumber), "number");
  EXPECT_EQ(to_string(FeatureRow::Type::kYesNo), "yes/no");
  EXPECT_EQ(to_string(FeatureRow::Type::kWord), "word");
}

}  // namespace
}  // namespace shingled::milter::features
