#include "milter/model/evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "milter/model/columns.h"

namespace shingled::milter::model {

namespace {

/// A score of 1. Sums of whole numbers do not depend on their order, and a double has each of them.
constexpr double kOne = 4294967296.0;
/// So that the sum of all trees stays below 2^63.
constexpr double kNodeMax = 1e5;

std::int64_t fixed(double value) {
  return std::llround(std::clamp(value, -kNodeMax, kNodeMax) * kOne);
}

double plain(std::int64_t value) { return static_cast<double>(value) / kOne; }

/// No value is above it, but an unknown one that goes right.
constexpr float kNever = std::numeric_limits<float>::infinity();

/// A value has two places: if it is unknown, it is above all thresholds in the first, and below all
/// in the second. What leaves add to themselves goes to place 0, which nobody reads.
std::uint16_t slot_of(std::uint16_t column, bool unknown_left) {
  return static_cast<std::uint16_t>(2 * column + (unknown_left ? 2 : 1));
}
static_assert(2 * kNamesMax + 2 < 65'536, "a slot has 16 bits");
static_assert((std::size_t{2} << kDepthMax) < 65'536, "a place in a tree has 16 bits");

}  // namespace

Evaluator::Evaluator(const Model& model, const Scale& scale) {
  base_ = fixed((model.base - scale.zero) * scale.factor);
  std::vector<std::uint16_t> of_feature;
  for (const ModelFeature& feature : model.features)
    of_feature.push_back(static_cast<std::uint16_t>(find_column(feature.name).value_or(0)));
  for (const Tree& tree : model.trees)
    for (const TreeNode& node : tree)
      if (node.feature >= 0) columns_.push_back(of_feature[static_cast<std::size_t>(node.feature)]);
  std::ranges::sort(columns_);
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  for (std::uint16_t& place : of_feature)
    place =
        static_cast<std::uint16_t>(std::ranges::lower_bound(columns_, place) - columns_.begin());
  nodes_.push_back({.threshold = kNever});
  std::vector<TreePlace> trees;
  for (const Tree& tree : model.trees) trees.push_back(add_tree(tree, of_feature, scale.factor));
  // Those of one depth together; sums do not depend on the order.
  std::ranges::stable_sort(trees, {}, &TreePlace::depth);
  for (std::size_t i = 0; i < trees.size(); ++i) {
    if (i % kAbreast == 0) teams_.emplace_back();
    teams_.back().roots[i % kAbreast] = trees[i].root;
    teams_.back().depth = trees[i].depth;
  }
}

Evaluator::TreePlace Evaluator::add_tree(const Tree& tree, std::span<const std::uint16_t> places,
                                         double factor) {
  const std::size_t first = nodes_.size();
  nodes_.resize(first + tree.size());
  // By breadth, so that children are neighbours: `order` has their places in `tree`.
  std::vector<std::uint32_t> order = {0};
  std::vector<std::uint32_t> depths = {0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const TreeNode& from = tree[order[i]];
    Node& node = nodes_[first + i];
    if (from.feature < 0) {
      node.threshold = kNever;
      node.left = static_cast<std::uint16_t>(i);
      continue;
    }
    node.threshold = from.threshold;
    node.slot = slot_of(places[static_cast<std::size_t>(from.feature)], from.unknown_left);
    node.left = static_cast<std::uint16_t>(order.size());
    for (const std::uint32_t child : {from.left, from.right}) {
      nodes_[first + order.size()].step =
          fixed(tree[child].value * factor) - fixed(from.value * factor);
      order.push_back(child);
      depths.push_back(depths[i] + 1);
    }
  }
  base_ += fixed(tree[0].value * factor);
  return {static_cast<std::uint32_t>(first), depths.back()};
}

std::vector<std::int64_t> Evaluator::walk(const Vector& vector) const {
  const std::size_t slots = 2 * columns_.size() + 1;
  std::vector<float> values(slots, 0);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const float value = vector[columns_[i]];
    values[2 * i + 1] = values[2 * i + 2] = value;
    if (!std::isnan(value)) continue;
    values[2 * i + 1] = kNever;
    values[2 * i + 2] = -kNever;
  }
  std::vector<std::int64_t> sums(slots, 0);
  for (const Team& team : teams_) {
    std::array<const Node*, kAbreast> roots;
    for (std::size_t i = 0; i < kAbreast; ++i) roots[i] = &nodes_[team.roots[i]];
    std::array<const Node*, kAbreast> at = roots;
    for (std::uint32_t depth = 0; depth < team.depth; ++depth) {
      for (std::size_t i = 0; i < kAbreast; ++i) {
        const Node& node = *at[i];
        const Node* const next =
            roots[i] + node.left + (values[node.slot] >= node.threshold ? 1 : 0);
        sums[node.slot] += next->step;
        at[i] = next;
      }
    }
  }
  std::vector<std::int64_t> out(columns_.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = sums[2 * i + 1] + sums[2 * i + 2];
  return out;
}

double Evaluator::score(const Vector& vector) const {
  std::int64_t sum = base_;
  for (const std::int64_t part : walk(vector)) sum += part;
  return plain(sum);
}

Explained Evaluator::explain(const Vector& vector) const {
  const std::vector<std::int64_t> parts = walk(vector);
  std::int64_t sum = base_;
  Explained out;
  out.shares.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == 0) continue;
    sum += parts[i];
    out.shares.push_back({columns_[i], plain(parts[i])});
  }
  std::ranges::sort(out.shares, [](const Share& a, const Share& b) {
    const double more = std::abs(a.score) - std::abs(b.score);
    return more != 0 ? more > 0 : a.column < b.column;
  });
  out.base = plain(base_);
  out.score = plain(sum);
  return out;
}

}  // namespace shingled::milter::model
