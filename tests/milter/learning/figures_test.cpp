#include "milter/learning/figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace shingled::milter::learning {
namespace {

TEST(Recall, IsThePartAboveAllWantedMessages) {
  std::vector<Scored> messages = {{1, false}, {2, false}, {2, true}, {3, true}, {4, true}};
  EXPECT_DOUBLE_EQ(recall_of(messages).at_none, 2.0 / 3);
  messages[4].weight = 10;
  EXPECT_DOUBLE_EQ(recall_of(messages).at_none, 11.0 / 12);
}

TEST(Recall, MayHitOneInAThousand) {
  std::vector<Scored> messages;
  for (int i = 0; i < 1000; ++i) messages.push_back({i == 0 ? 9.0 : 1.0, false});
  messages.push_back({5, true});
  EXPECT_EQ(recall_of(messages).at_none, 0);
  EXPECT_EQ(recall_of(messages).at_thousandth, 1);
}

TEST(Calibration, FindsTheTrueProbability) {
  std::mt19937 dice(1);
  std::uniform_real_distribution<double> margin(-5, 5);
  std::uniform_real_distribution<double> chance(0, 1);
  std::vector<Scored> messages;
  for (int i = 0; i < 20'000; ++i) {
    const double x = margin(dice);
    messages.push_back({x, chance(dice) < 1 / (1 + std::exp(-2 * (x - 1)))});
  }
  const Calibration found = calibrate(messages);
  EXPECT_NEAR(found.slope, 2, 0.1);
  EXPECT_NEAR(found.even, 1, 0.1);
  EXPECT_LT(calibration_error(messages, found), 0.01);
}

TEST(Calibration, OfClassesThatDoNotOverlapIsFinite) {
  const std::vector<Scored> messages = {{-2, false}, {-1, false}, {3, true}, {4, true}};
  const Calibration found = calibrate(messages);
  EXPECT_TRUE(std::isfinite(found.even));
  EXPECT_GT(found.even, -1);
  EXPECT_LT(found.even, 3);
}

}  // namespace
}  // namespace shingled::milter::learning
