#include "milter/view/feature_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shingled::milter::view {
namespace {

using features::Feature;
using features::Sums;
using storage::counters::Measure;

TEST(FeatureJson, HasAValueOfEachType) {
  features::FeatureValues values;
  values.set_number(Feature::kBytes, 1200);
  values.set_yes(Feature::kHtml, false);
  values.set_yes(Feature::kLocal, true);
  values.set_word(Feature::kSpf, "softfail");
  const Json json = features_json(values);
  EXPECT_EQ(json.size(), features::kFeatures);
  EXPECT_EQ(json["bytes"], Json(1200));
  EXPECT_EQ(json["html"], Json(false));
  EXPECT_EQ(json["local"], Json(true));
  EXPECT_EQ(json["spf"], Json("softfail"));
  EXPECT_TRUE(json["recipients"].is_null()) << "unknown";
}

TEST(FeatureJson, NamesTheMeasuresThatWereCounted) {
  Sums amounts;
  EXPECT_EQ(sums_text(amounts), "0");
  amounts.of(Measure::kBytes) = 3400;
  amounts.of(Measure::kMass) = 12;
  amounts.of(Measure::kComplainers) = 2;
  EXPECT_EQ(sums_text(amounts), "mass 12, bytes 3400, complainers 2");
}

}  // namespace
}  // namespace shingled::milter::view
