#include "milter/model/evaluator.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

Evaluator::Evaluator(const Model& model, const Scale& scale) {
  base_ = fixed((model.base - scale.zero) * scale.factor);
  for (const Tree& tree : model.trees) add_tree(model, tree, scale.factor);
}

void Evaluator::add_tree(const Model& model, const Tree& tree, double factor) {
  const auto first = static_cast<std::uint32_t>(nodes_.size());
  std::vector<std::uint32_t> depths(tree.size(), 0);
  std::uint32_t depth = 0;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeNode& from = tree[i];
    const auto here = first + static_cast<std::uint32_t>(i);
    Node& node = nodes_.emplace_back(Node{.left = here, .right = here});
    node.value = fixed(from.value * factor);
    depth = std::max(depth, depths[i]);
    if (from.feature < 0) continue;
    const auto& name = model.features[static_cast<std::size_t>(from.feature)].name;
    node.column = static_cast<std::uint16_t>(find_column(name).value_or(0));
    node.threshold = from.threshold;
    node.unknown_right = from.unknown_left ? 0 : 1;
    node.left = first + from.left;
    node.right = first + from.right;
    depths[from.left] = depths[from.right] = depths[i] + 1;
  }
  roots_.push_back({first, depth});
  base_ += nodes_[first].value;
}

double Evaluator::score(const Vector& vector) const {
  std::int64_t sum = base_;
  for (const Root& root : roots_) {
    const Node* node = &nodes_[root.node];
    sum -= node->value;
    for (std::uint32_t i = 0; i < root.depth; ++i) {
      const float x = vector[node->column];
      const bool right = (x >= node->threshold) | (std::isnan(x) & (node->unknown_right != 0));
      node = &nodes_[right ? node->right : node->left];
    }
    sum += node->value;
  }
  return plain(sum);
}

Explained Evaluator::explain(const Vector& vector) const {
  std::vector<std::int64_t> of_column(columns().size(), 0);
  std::int64_t sum = base_;
  for (const Root& root : roots_) {
    const Node* node = &nodes_[root.node];
    for (std::uint32_t i = 0; i < root.depth; ++i) {
      const float x = vector[node->column];
      const bool right = (x >= node->threshold) | (std::isnan(x) & (node->unknown_right != 0));
      const Node* const next = &nodes_[right ? node->right : node->left];
      of_column[node->column] += next->value - node->value;
      node = next;
    }
  }
  Explained out;
  for (std::size_t i = 0; i < of_column.size(); ++i) {
    if (of_column[i] == 0) continue;
    sum += of_column[i];
    out.shares.push_back({i, plain(of_column[i])});
  }
  std::ranges::stable_sort(out.shares, std::greater<>(),
                           [](const Share& share) { return std::abs(share.score); });
  out.base = plain(base_);
  out.score = plain(sum);
  return out;
}

}  // namespace shingled::milter::model
