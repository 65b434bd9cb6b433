// Covers milter/model/model.cpp and milter/model/json_reader.cpp, too.
#include "milter/model/model_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/milter/model/models.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::model {
namespace {

using nlohmann::json;
using testing::any_model;

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ModelFile, IsReadAsItWasWritten) {
  Model model = any_model(1);
  model.has_figures = true;
  model.figures.both = {0.875, 0.9};
  model.scores[3] = 0.1;
  const std::string text = text_of(model);
  const auto again = model_of(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, model);
}

TEST(ModelFile, SaysWhatIsWrong) {
  struct Case {
    const char* why;
    std::function<void(Model&)> change;
    const char* says;
  };
  const double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Case> cases = {
      {"a circle", [](Model& m) { m.trees[2][1].left = 1; }, "a child comes before its parent"},
      {"a child outside", [](Model& m) { m.trees[2][0].right = 4000; }, "outside of the tree"},
      {"two parents", [](Model& m) { m.trees[0][0].right = 1; }, "another parent"},
      {"nobody leads there", [](Model& m) { m.trees[0].push_back({}); }, "no node leads to it"},
      {"no number", [kNan](Model& m) { m.trees[1][3].value = kNan; }, "node 3"},
      {"infinite", [](Model& m) { m.trees[1][0].threshold = INFINITY; }, "threshold"},
      {"too large", [](Model& m) { m.trees[1][0].value = 1e9; }, "in range"},
      {"no such feature", [](Model& m) { m.features[4].name = "mood"; }, "\"mood\""},
      {"twice", [](Model& m) { m.features[4].name = m.features[3].name; }, "twice"},
      {"feature outside", [](Model& m) { m.trees[0][0].feature = 999; }, "not in the list"},
      {"empty tree", [](Model& m) { m.trees[0].clear(); }, "empty"},
      {"no trees", [](Model& m) { m.trees.clear(); }, "no trees"},
      {"too deep", [](Model& m) { m = any_model(1, 1, kDepthMax + 1); }, "deeper"},
      {"full below zero", [](Model& m) { m.full = m.zero; }, "full"}};
  for (const Case& one : cases) {
    Model model = any_model(1);
    one.change(model);
    const Status checked = check_model(model);
    ASSERT_FALSE(checked) << one.why;
    EXPECT_NE(checked.error().message.find(one.says), std::string::npos)
        << one.why << ": " << checked.error().message;
    EXPECT_FALSE(model_of(text_of(model))) << one.why;
  }
}

TEST(ModelFile, RefusesWhatIsNoModel) {
  Model model = any_model(1);
  const std::string good = text_of(model);
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("[1,2"), std::string(100'000, '['),
        good.substr(0, good.size() / 2), std::string(kNodesMax, ' '),
        std::string(R"({"format":"shingled model","version":2})")}) {
    const auto read = model_of(text);
    ASSERT_FALSE(read) << text.substr(0, 40);
    EXPECT_FALSE(read.error().message.empty());
  }
  json other = json::parse(good);
  other["meaning"] = "0000000000000000";
  const auto read = model_of(other.dump());
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("another version of the features"), std::string::npos);
}

/// Changes one number of a tree, or the length of a list.
void mutate(json& model, std::mt19937& dice) {
  static const std::vector<std::string> names = {"feature", "threshold",    "left",
                                                 "right",   "unknown_left", "value"};
  json& tree = model["trees"][dice() % model["trees"].size()];
  json& list = tree[names[dice() % names.size()]];
  json& item = list[dice() % list.size()];
  switch (dice() % 6) {
    case 0:
      list.erase(dice() % list.size());
      break;
    case 1:
      item = "text";
      break;
    case 2:
      item = nullptr;
      break;
    case 3:
      item = item.get<double>() + 1 + static_cast<double>(dice() % 1000);
      break;
    case 4:
      item = std::uint64_t{1} << 31U;
      break;
    default:
      list.push_back(list[0]);
  }
}

TEST(ModelFile, RefusesTwoHundredMutatedOnesWithAReason) {
  std::mt19937 dice(5);
  Model model = any_model(2);
  const json good = json::parse(text_of(model));
  for (int i = 0; i < 200; ++i) {
    json bad = good;
    mutate(bad, dice);
    const auto read = model_of(bad.dump());
    ASSERT_FALSE(read) << i;
    EXPECT_FALSE(read.error().message.empty());
  }
}

class ModelFolder : public ::testing::Test {
 protected:
  shingled::testing::TemporaryDirectory folder_;
  std::string path_ = (folder_.path() / "model.json").string();
};

TEST_F(ModelFolder, KeepsTheModelBeforeAndGoesBack) {
  Model first = any_model(1);
  Model second = any_model(2);
  ASSERT_TRUE(publish_model(path_, first));
  EXPECT_EQ(roll_back(path_).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(publish_model(path_, second));
  EXPECT_EQ(read_model(path_)->id, second.id);
  ASSERT_TRUE(roll_back(path_));
  EXPECT_EQ(read_model(path_)->id, first.id);
  EXPECT_EQ(read_model(file_before(path_))->id, second.id);
  ASSERT_TRUE(roll_back(path_));
  EXPECT_EQ(read_model(path_)->id, second.id);
}

TEST_F(ModelFolder, ABadModelIsNotPublished) {
  Model good = any_model(1);
  ASSERT_TRUE(publish_model(path_, good));
  Model bad = any_model(2);
  bad.trees[0][0].left = 5000;
  EXPECT_FALSE(publish_model(path_, bad));
  EXPECT_EQ(read_model(path_)->id, good.id);
}

TEST_F(ModelFolder, OneProcessAtATime) {
  const auto first = ModelLock::take(path_);
  ASSERT_TRUE(first);
  EXPECT_FALSE(ModelLock::take(path_));
}

TEST_F(ModelFolder, WhatAKilledTrainingLeftDoesNoHarm) {
  Model model = any_model(1);
  ASSERT_TRUE(publish_model(path_, model));
  std::ofstream(path_ + ".new") << content_of(path_).substr(0, 100);
  Model next = any_model(2);
  ASSERT_TRUE(publish_model(path_, next));
  EXPECT_EQ(read_model(path_)->id, next.id);
}

}  // namespace
}  // namespace shingled::milter::model
