#include "milter/model/evaluator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/milter/model/models.h"

namespace shingled::milter::model {
namespace {

using testing::any_model;
using testing::any_vector;

/// The same in plain words.
double margin_of(const Model& model, const Vector& vector) {
  double out = model.base;
  for (const Tree& tree : model.trees) {
    const TreeNode* node = tree.data();
    while (node->feature >= 0) {
      const auto& name = model.features[static_cast<std::size_t>(node->feature)].name;
      const float value = vector[*find_column(name)];
      const bool left = std::isnan(value) ? node->unknown_left : value < node->threshold;
      node = &tree[left ? node->left : node->right];
    }
    out += node->value;
  }
  return out;
}

TEST(Evaluator, AddsTheLeavesThatAMessageReaches) {
  std::mt19937 dice(1);
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Model model = any_model(seed, 30, 1 + seed % kDepthMax);
    const Evaluator trees(model, Scale{});
    for (int i = 0; i < 100; ++i) {
      const Vector vector = any_vector(dice);
      EXPECT_NEAR(trees.score(vector), margin_of(model, vector), 1e-7);
    }
  }
}

TEST(Evaluator, TakesTreesOfAllDepthsAndValuesWithoutBounds) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::mt19937 dice(3);
  Model model = any_model(5, 0);
  for (std::size_t i = 0; i < 21; ++i)
    model.trees.push_back(
        testing::any_tree(dice, model.features.size(), (i * 5) % (kDepthMax + 1)));
  const Evaluator trees(model, Scale{});
  for (int i = 0; i < 300; ++i) {
    Vector vector = any_vector(dice);
    for (float& value : vector)
      if (dice() % 4 == 0) value = dice() % 2 == 0 ? kInfinity : -kInfinity;
    EXPECT_NEAR(trees.score(vector), margin_of(model, vector), 1e-7);
  }
}

TEST(Evaluator, ContributionsSumToTheScoreExactlyInAnyOrder) {
  std::mt19937 dice(2);
  const Model model = any_model(7, 200, 6);
  for (const double score_max : {4.0, 0.3, 100.0}) {
    const Evaluator trees(model, Scale::of(model, score_max));
    for (int i = 0; i < 200; ++i) {
      const Vector vector = any_vector(dice);
      Explained found = trees.explain(vector);
      EXPECT_EQ(found.score, trees.score(vector));
      std::shuffle(found.shares.begin(), found.shares.end(), dice);
      double sum = found.base;
      for (const Share& share : found.shares) sum += share.score;
      EXPECT_EQ(sum, found.score);
    }
  }
}

TEST(Evaluator, TheMarginFullCountsTheWholeScore) {
  Model model = any_model(3, 1, 1);
  model.base = model.full;
  for (TreeNode& node : model.trees[0]) node.value = 0;
  const Vector nothing(columns().size(), 0);
  EXPECT_NEAR(Evaluator(model, Scale::of(model, 4)).score(nothing), 4, 1e-6);
  model.base = model.zero;
  EXPECT_NEAR(Evaluator(model, Scale::of(model, 4)).score(nothing), 0, 1e-6);
}

}  // namespace
}  // namespace shingled::milter::model
