#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "milter/model/columns.h"
#include "milter/model/model.h"

namespace shingled::milter::model::testing {

/// A tree of some depth on columns of the message and of counters, with values that add up.
inline Tree any_tree(std::mt19937& dice, std::size_t features, std::size_t depth) {
  Tree tree((std::size_t{2} << depth) - 1);
  const std::size_t inner = (std::size_t{1} << depth) - 1;
  std::uniform_real_distribution<double> value(-1, 1);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    tree[i].value = value(dice);
    if (i >= inner) continue;
    tree[i].feature = static_cast<std::int32_t>(dice() % features);
    tree[i].threshold = static_cast<float>(dice() % 8);
    tree[i].left = static_cast<std::uint32_t>(2 * i + 1);
    tree[i].right = static_cast<std::uint32_t>(2 * i + 2);
    tree[i].unknown_left = dice() % 2 == 0;
  }
  average_values(tree, std::vector<double>(tree.size(), 1));
  return tree;
}

inline Model any_model(std::uint32_t seed, std::size_t trees = 20, std::size_t depth = 4) {
  std::mt19937 dice(seed);
  Model out;
  out.trained = 1'795'860'000;
  out.trainer = "by hand";
  out.base = -0.25;
  out.zero = 0.5;
  out.full = 3;
  for (std::size_t i = 0; i < 40; ++i)
    out.features.push_back({columns()[(i * 13) % columns().size()].name, 0.025, 0.5});
  for (std::size_t i = 0; i < trees; ++i)
    out.trees.push_back(any_tree(dice, out.features.size(), depth));
  return out;
}

/// Small numbers; one of three is unknown.
inline std::vector<float> any_vector(std::mt19937& dice) {
  std::vector<float> out(columns().size());
  for (float& value : out)
    value =
        dice() % 3 == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(dice() % 9);
  return out;
}

}  // namespace shingled::milter::model::testing
