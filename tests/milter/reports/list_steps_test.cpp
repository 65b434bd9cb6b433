#include "milter/reports/list_steps.h"

#include <gtest/gtest.h>

#include "milter/rules/score.h"

namespace shingled::milter::reports {
namespace {

TEST(ListSteps, TheDefaultsAreThoseOfTwoAndFive) {
  const auto steps = list_steps(Settings{});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps.at(11), ListSteps{}) << "what the manual says";
}

TEST(ListSteps, FourAreNeverRejected) {
  const Settings settings;
  const FlagOptions* denied = settings.rules.front().flags.find(11);
  ASSERT_NE(denied, nullptr);
  const ListSteps steps = list_steps(settings).at(11);
  EXPECT_GE(rules::list_score(*denied, steps.header), 4);
  EXPECT_LT(rules::list_score(*denied, steps.header - 1), 4);
  EXPECT_GE(rules::list_score(*denied, steps.marks) * (25.0 / 32 - 0.5) * 2, 4)
      << "a message with 25 equal slots of 32 is marked, too";
  EXPECT_LT(rules::list_score(*denied, steps.marks) * rules::kContextMost, 10)
      << "and none is rejected, also beside a known image";
  EXPECT_GE(rules::list_score(*denied, *steps.reject), 10);
  EXPECT_LT(rules::list_score(*denied, *steps.reject - 1), 10);
  EXPECT_GE(rules::list_score(*denied, steps.rejects) * (28.0 / 32 - 0.5) * 2, 10)
      << "of 28 equal slots";
}

TEST(ListSteps, FollowTheActionsAndTheList) {
  Settings settings;
  settings.milter.actions.reject = 19;
  settings.milter.actions.add_header = 10;
  const ListSteps steps = list_steps(settings).at(11);
  EXPECT_EQ(steps.header, 5);
  EXPECT_EQ(steps.reject, 14);
  EXPECT_EQ(steps.rejects, 14) << "a similar one never reaches it";
  EXPECT_EQ(steps.marks, 9);
  settings.milter.actions.reject.reset();
  EXPECT_EQ(list_steps(settings).at(11).reject, std::nullopt);
  settings.milter.actions.reject = 30;  // more than the list ever gives
  EXPECT_EQ(list_steps(settings).at(11).reject, std::nullopt);
  settings.reports.spam.flag = "white";
  EXPECT_EQ(list_steps(settings).at(13).reject, std::nullopt) << "that list speaks for mail";
}

}  // namespace
}  // namespace shingled::milter::reports
