// Covers milter/boosting/train_model.cpp, too.
#include "milter/boosting/booster.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "milter/boosting/train_model.h"
#include "milter/model/evaluator.h"
#include "milter/model/import_model.h"

namespace shingled::milter::boosting {
namespace {

using model::columns;

/// Rows with counts as mail has them, a third of them unknown; the first columns say what is bad.
Matrix any_rows(std::size_t rows, std::size_t width, std::uint32_t seed) {
  std::mt19937 dice(seed);
  Matrix out;
  out.columns = width;
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::size_t c = 0; c < width; ++c) {
      const auto value = static_cast<float>(dice() % 100) * (dice() % 4 == 0 ? 0.37F : 1.0F);
      const bool unknown = dice() % 3 == 0;
      out.values.push_back(unknown ? std::numeric_limits<float>::quiet_NaN() : value);
      if (c < 4 && !unknown) sum += value;
    }
    out.labels.push_back(sum + static_cast<double>(dice() % 60) > 150 ? 1 : 0);
    out.weights.push_back(dice() % 10 == 0 ? 10 : 1);
  }
  return out;
}

BoostOptions options_of(std::size_t width) {
  BoostOptions out;
  for (std::size_t c = 0; c < width; ++c) {
    out.names.push_back(columns()[c * 7].name);
    out.directions.push_back(c == 0 ? 1 : 0);
  }
  out.rounds_max = 100;
  return out;
}

model::Vector vector_of_row(const Matrix& rows, std::size_t row) {
  model::Vector out(columns().size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t c = 0; c < rows.columns; ++c) out[c * 7] = rows.values[row * rows.columns + c];
  return out;
}

TEST(Booster, OurEvaluatorSaysWhatXgboostSays) {
  constexpr std::size_t kWidth = 30;
  const auto boosted = boost(any_rows(4000, kWidth, 1), nullptr, options_of(kWidth));
  ASSERT_TRUE(boosted) << boosted.error().message;
  const auto imported = model::import_xgboost(boosted->json);
  ASSERT_TRUE(imported) << imported.error().message;
  const model::Evaluator trees(*imported, model::Scale{});
  const Matrix rows = any_rows(10'000, kWidth, 2);
  const auto theirs = margins_of(boosted->json, rows);
  ASSERT_TRUE(theirs) << theirs.error().message;
  double worst = 0;
  double worst_margin = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double margin = trees.score(vector_of_row(rows, i));
    const double ours = 1 / (1 + std::exp(-margin));
    const double other = 1 / (1 + std::exp(-static_cast<double>((*theirs)[i])));
    worst = std::max(worst, std::abs(ours - other));
    worst_margin = std::max(worst_margin, std::abs(margin - (*theirs)[i]));
  }
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(worst_margin, 1e-5) << "XGBoost adds numbers of 24 bits";
}

TEST(Booster, MoreOfACountNeverLowersTheMarginWhereThatIsKnown) {
  constexpr std::size_t kWidth = 10;
  const auto boosted = boost(any_rows(3000, kWidth, 3), nullptr, options_of(kWidth));
  ASSERT_TRUE(boosted);
  const auto imported = model::import_xgboost(boosted->json);
  ASSERT_TRUE(imported);
  const model::Evaluator trees(*imported, model::Scale{});
  Matrix rows = any_rows(200, kWidth, 4);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double last = -1e9;
    for (int value = 0; value < 100; value += 3) {
      rows.values[i * kWidth] = static_cast<float>(value);
      const double margin = trees.score(vector_of_row(rows, i));
      EXPECT_GE(margin, last - 1e-6);
      last = margin;
    }
  }
}

std::vector<learning::TaughtMessage> any_messages(std::size_t count) {
  std::mt19937 dice(9);
  std::vector<learning::TaughtMessage> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    learning::TaughtMessage& one = out[i];
    one.time = static_cast<std::int64_t>(i);
    one.bad = dice() % 3 == 0;
    one.vector.assign(columns().size(), std::numeric_limits<float>::quiet_NaN());
    one.vector[*model::find_column("links")] =
        static_cast<float>(dice() % 10 + (one.bad ? 7U : 0U));
    one.vector[*model::find_column("hour")] = one.bad ? 3 : 9;
    one.others = one.bad && dice() % 2 == 0 ? 6 : 0;
    one.vector[*model::find_column("score")] = static_cast<float>(one.others);
  }
  return out;
}

TEST(TrainModel, UsesNoFeatureThatIsOff) {
  const auto messages = any_messages(3000);
  const auto trained = train_model(messages, {{"hour"}, 1});
  ASSERT_TRUE(trained) << trained.error().message;
  for (const auto& feature : trained->features) EXPECT_NE(feature.name, "hour");
  const model::ModelInForce in_force(*trained, {}, true);
  const model::Figures figures = figures_of(in_force, nullptr, messages, {});
  EXPECT_GE(figures.both.at_thousandth, figures.rules.at_thousandth);
  EXPECT_LT(figures.calibration_error, 0.1);
}

TEST(TrainModel, IsTheSameForTheSameSeed) {
  const auto messages = any_messages(1500);
  const auto first = train_model(messages, {{}, 5});
  const auto second = train_model(messages, {{}, 5});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->trees, second->trees);
}

TEST(TrainModel, NeedsBothKinds) {
  auto messages = any_messages(100);
  for (auto& one : messages) one.bad = true;
  EXPECT_EQ(train_model(messages, {}).error().code, ErrorCode::kInvalid);
}

}  // namespace
}  // namespace shingled::milter::boosting
