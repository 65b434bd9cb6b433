// Covers milter/learning/survey.cpp and milter/learning/sample.cpp, too.
#include "milter/learning/label.h"

#include <gtest/gtest.h>

#include "milter/learning/sample.h"
#include "milter/learning/survey.h"

namespace shingled::milter::learning {
namespace {

using Side = MessageLabel::Side;
using rules::Evidence;

history::MessageRecord record_with(double score, double of_model = 0) {
  history::MessageRecord out;
  out.score = score + of_model;
  if (of_model != 0) out.evidence.push_back({"MODEL", of_model, Evidence::Effect::kCounts});
  return out;
}

TEST(MessageLabel, IsWhatPeopleSaid) {
  EXPECT_EQ(label_of(0, 1, record_with(0), {}), (MessageLabel{Side::kBad, true}));
  EXPECT_EQ(label_of(4, 2, record_with(12), {}), (MessageLabel{Side::kWanted, true}));
}

TEST(MessageLabel, ElseTheVerdictWhereItIsClear) {
  EXPECT_EQ(label_of(1, 0, record_with(5), {}).side, Side::kBad);
  EXPECT_EQ(label_of(0, 0, record_with(2), {}).side, Side::kWanted);
  EXPECT_EQ(label_of(0, 0, record_with(3), {}).side, Side::kNone);
  EXPECT_EQ(label_of(2, 0, record_with(5), {}).side, Side::kNone) << "it was put off";
}

TEST(MessageLabel, TheModelsOwnWordTeachesNothing) {
  EXPECT_EQ(label_of(1, 0, record_with(1, 4), {}).side, Side::kWanted);
  EXPECT_EQ(label_of(1, 0, record_with(3, 4), {}).side, Side::kNone);
  history::MessageRecord tried = record_with(5);
  tried.evidence.push_back({"MODEL", 4, Evidence::Effect::kTried});
  EXPECT_EQ(label_of(1, 0, tried, {}).side, Side::kBad) << "in shadow it is not in the score";
}

TEST(Missing, SaysHowLongItTakes) {
  constexpr std::int64_t kDay = 86'400'000'000;
  const Missing missing = missing_of(100, 900, 0, 10 * kDay);
  EXPECT_EQ(missing.bad, 300U);
  EXPECT_EQ(missing.wanted, 0U);
  EXPECT_NEAR(missing.days, 30, 1e-9);
  EXPECT_EQ(missing_text(100, 900, missing),
            "100 of 400 bad messages; the missing ones take about 30.0 days at the present rate");
  EXPECT_LT(missing_of(0, 900, 0, kDay).days, 0);
  EXPECT_FALSE(missing_of(400, 800, 0, kDay).any());
}

TEST(Decide, FollowsTheFiguresButNeverAPerson) {
  using model::ModelDecision;
  using Stage = ModelDecision::Stage;
  Survey good;
  good.done = true;
  good.figures = {.messages = 60, .reported = 10};
  good.unreported = 10'000;
  PolicyOptions policy;
  const WallTime now{std::chrono::seconds(1'800'000'000)};
  EXPECT_EQ(decide({}, good, policy, now).stage, Stage::kProposed);
  policy.promote = PolicyPromote::kAuto;
  const ModelDecision live = decide({}, good, policy, now);
  EXPECT_EQ(live.stage, Stage::kLive);
  EXPECT_TRUE(is_live(policy, live));
  Survey bad = good;
  bad.figures.rescued = 2;
  const ModelDecision back = decide(live, bad, policy, now);
  EXPECT_EQ(back.stage, Stage::kReturned);
  EXPECT_EQ(decide(back, good, policy, now + std::chrono::hours(24)), back) << "it rests";
  const ModelDecision person{ModelDecision::By::kPerson, Stage::kShadow, 5};
  EXPECT_EQ(decide(person, good, policy, now), person);
  policy.model.mode = ModelMode::kScore;
  EXPECT_FALSE(is_live(policy, person));
}

}  // namespace
}  // namespace shingled::milter::learning
