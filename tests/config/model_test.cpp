// Covers config/sections/model.cpp: what is read, and the exact text of each problem. Also
// policy.model, and the options of several machines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load_settings.h"

namespace shingled::config {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> problems(const std::string& yaml) {
  std::vector<std::string> out;
  for (const Problem& problem : load_settings(yaml, "f", {}).problems)
    out.push_back(problem.to_string());
  return out;
}

TEST(Model, ReadsEveryKey) {
  const Loaded loaded = load_settings(
      "model: {file: /tmp/m, train: off, features_off: [mailer, from.spam]}\n"
      "policy: {model: {mode: score, score_max: 2.5}}\n",
      "f", {});
  for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
  ASSERT_TRUE(loaded.settings);
  const ModelOptions& model = loaded.settings->model;
  EXPECT_EQ(model.file, "/tmp/m");
  EXPECT_EQ(model.train, ModelTrain::kOff);
  EXPECT_THAT(model.features_off, ElementsAre("mailer", "from.spam"));
  EXPECT_EQ(loaded.settings->policy.model, (PolicyModelOptions{ModelMode::kScore, 2.5}));
  EXPECT_EQ(Settings{}.policy.model.mode, ModelMode::kShadow);
}

TEST(Model, RefusesWhatMakesNoSense) {
  EXPECT_THAT(
      problems("model: {train: weekly}"),
      ElementsAre("f:1:16: model.train: 'weekly' is not one of the choices; allowed: daily, off"));
  EXPECT_THAT(problems("model: {features_off: [A-B, ok]}").size(), 1U);
  EXPECT_THAT(problems("policy: {model: {score_max: 101}}").size(), 1U);
  EXPECT_THAT(problems("policy: {model: {score_max: -1, mode: live}}").size(), 2U);
}

TEST(SeveralMachines, AreNamedByUrls) {
  const Loaded loaded = load_settings(
      "reports: {home: \"https://mx1.example:11340\", home_key_file: /k, home_ca_file: /c}\n"
      "history: {peers: [\"https://mx2.example\", \"unix:/s\"], peers_key_file: /k, peers_ca_file: "
      "/c}\n",
      "f", {});
  for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
  ASSERT_TRUE(loaded.settings);
  EXPECT_EQ(loaded.settings->reports.home, "https://mx1.example:11340");
  EXPECT_EQ(loaded.settings->reports.home_key_file, "/k");
  EXPECT_THAT(loaded.settings->history.peers, ElementsAre("https://mx2.example", "unix:/s"));
  EXPECT_THAT(problems("history: {peers: [mx2.example]}").size(), 1U);
  EXPECT_THAT(problems("reports: {home_key_file: /k}").size(), 1U);
}

}  // namespace
}  // namespace shingled::config
