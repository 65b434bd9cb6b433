#include "milter/model/import_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "milter/model/evaluator.h"
#include "milter/model/model_file.h"

namespace shingled::milter::model {
namespace {

/// Two trees by hand, as CatBoost writes them.
constexpr const char* kCatBoost = R"({
  "features_info": {"float_features": [
    {"feature_id": "links", "feature_index": 0, "flat_feature_index": 0, "borders": [1.5, 4.5],
     "has_nans": false, "nan_value_treatment": "AsIs"},
    {"feature_id": "bytes", "feature_index": 1, "flat_feature_index": 1, "borders": [1000],
     "has_nans": true, "nan_value_treatment": "AsTrue"}]},
  "oblivious_trees": [
    {"leaf_values": [0.1, 0.2, 0.3, 0.4], "leaf_weights": [1, 2, 3, 4],
     "splits": [{"border": 1.5, "float_feature_index": 0, "split_index": 0, "split_type": "FloatFeature"},
                {"border": 1000, "float_feature_index": 1, "split_index": 2, "split_type": "FloatFeature"}]},
    {"leaf_values": [-1, 1], "leaf_weights": [5, 5],
     "splits": [{"border": 4.5, "float_feature_index": 0, "split_index": 1, "split_type": "FloatFeature"}]}],
  "scale_and_bias": [2, [0.5]]})";

Vector vector_with(float links, float bytes) {
  Vector out(columns().size(), std::nanf(""));
  out[*find_column("links")] = links;
  out[*find_column("bytes")] = bytes;
  return out;
}

TEST(ImportModel, CatBoostAddsTheLeafWhoseBitsAreItsSplits) {
  const auto model = import_model(kCatBoost);
  ASSERT_TRUE(model) << model.error().message;
  const Evaluator trees(*model, Scale{});
  // scale * (first + second) + bias; bit 0 is links > 1.5, bit 1 is bytes > 1000.
  EXPECT_NEAR(trees.score(vector_with(1, 500)), 2 * (0.1 - 1) + 0.5, 1e-7);
  EXPECT_NEAR(trees.score(vector_with(2, 500)), 2 * (0.2 - 1) + 0.5, 1e-7);
  EXPECT_NEAR(trees.score(vector_with(1.5, 1000)), 2 * (0.1 - 1) + 0.5, 1e-7);
  EXPECT_NEAR(trees.score(vector_with(1, 1001)), 2 * (0.3 - 1) + 0.5, 1e-7);
  EXPECT_NEAR(trees.score(vector_with(5, 1001)), 2 * (0.4 + 1) + 0.5, 1e-7);
  EXPECT_NEAR(trees.score(vector_with(std::nanf(""), std::nanf(""))), 2 * (0.3 - 1) + 0.5, 1e-7);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(ImportModel, SaysWhatItCannotTake) {
  const std::string good = kCatBoost;
  const std::vector<std::pair<std::string, const char*>> cases = {
      {replaced(good, "\"links\"", "\"length\""), "\"length\""},
      {replaced(good, "[0.1, 0.2, 0.3, 0.4]", "[0.1, 0.2]"), "need 4 leaves"},
      {replaced(good, "\"float_feature_index\": 1", "\"float_feature_index\": 9"), "no feature"},
      {replaced(good, "FloatFeature", "OneHotFeature"), "OneHotFeature"},
      {replaced(good, "0.2", "1e300"), "in range"},
      {replaced(good, "\"float_features\"", "\"categorical_features\": [{}], \"float_features\""),
       "categorical_features"},
      {"{\"learner\": {}}", "gbtree"},
      {"[]", "gbtree"},
      {"no", "not JSON"}};
  for (const auto& [text, says] : cases) {
    const auto model = import_model(text);
    ASSERT_FALSE(model) << says;
    EXPECT_NE(model.error().message.find(says), std::string::npos) << model.error().message;
  }
}

}  // namespace
}  // namespace shingled::milter::model
