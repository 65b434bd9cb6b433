#include "milter/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "milter/model/columns.h"

namespace shingled::milter::model {

namespace {

bool is_good(double value) { return std::isfinite(value) && std::abs(value) <= kValueMax; }

Error in_node(std::size_t tree, std::size_t node, std::string_view what) {
  return {ErrorCode::kCorrupt, fmt::format("tree {}, node {}: {}", tree, node, what)};
}

/// Children come after their parents, and each node but the root has one parent: so there are no
/// circles, and no node is lost.
Status check_tree(const Model& model, std::size_t number) {
  const Tree& tree = model.trees[number];
  if (tree.empty()) return Error{ErrorCode::kCorrupt, fmt::format("tree {} is empty", number)};
  std::vector<std::uint8_t> depths(tree.size(), 0);
  std::vector<bool> reached(tree.size());
  reached[0] = true;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeNode& node = tree[i];
    if (!reached[i]) return in_node(number, i, "no node leads to it");
    if (!is_good(node.value)) return in_node(number, i, "its value is not a number in range");
    if (node.feature == -1) continue;
    if (node.feature < 0 || static_cast<std::size_t>(node.feature) >= model.features.size())
      return in_node(number, i, "it asks for a feature that is not in the list");
    if (!std::isfinite(node.threshold)) return in_node(number, i, "its threshold is not finite");
    for (const std::uint32_t child : {node.left, node.right}) {
      if (child >= tree.size()) return in_node(number, i, "a child is outside of the tree");
      if (child <= i) return in_node(number, i, "a child comes before its parent");
      if (reached[child]) return in_node(number, i, "a child has another parent");
      reached[child] = true;
      depths[child] = static_cast<std::uint8_t>(depths[i] + 1);
      if (depths[child] > kDepthMax)
        return Error{ErrorCode::kLimit,
                     fmt::format("tree {} is deeper than {}", number, kDepthMax)};
    }
  }
  return {};
}

Status check_names(const Model& model) {
  if (model.features.size() > kNamesMax)
    return Error{ErrorCode::kLimit, fmt::format("more than {} features", kNamesMax)};
  std::set<std::string_view> seen;
  for (const ModelFeature& feature : model.features) {
    if (!find_column(feature.name))
      return Error{
          ErrorCode::kInvalid,
          fmt::format("there is no feature \"{:.100}\" (shingled features --model)", feature.name)};
    if (!seen.insert(feature.name).second)
      return Error{ErrorCode::kInvalid, fmt::format("the feature {} is there twice", feature.name)};
    if (!std::isfinite(feature.gain) || !std::isfinite(feature.unknown))
      return Error{ErrorCode::kCorrupt, "a number of a feature is not finite"};
  }
  return {};
}

}  // namespace

Status check_model(const Model& model) {
  if (Status names = check_names(model); !names) return names;
  if (!is_good(model.base) || !is_good(model.zero) || !is_good(model.full))
    return Error{ErrorCode::kCorrupt, "base, zero or full is not a number in range"};
  if (model.full - model.zero < 1e-3) return Error{ErrorCode::kCorrupt, "full is not above zero"};
  if (model.trees.empty()) return Error{ErrorCode::kCorrupt, "it has no trees"};
  if (model.trees.size() > kTreesMax)
    return Error{ErrorCode::kLimit,
                 fmt::format("{} trees, at most {}", model.trees.size(), kTreesMax)};
  std::size_t nodes = 0;
  for (std::size_t i = 0; i < model.trees.size(); ++i) {
    nodes += model.trees[i].size();
    if (nodes > kNodesMax)
      return Error{ErrorCode::kLimit, fmt::format("more than {} nodes", kNodesMax)};
    if (Status tree = check_tree(model, i); !tree) return tree;
  }
  return {};
}

std::size_t part_of_score(double score) {
  if (!(score > -1)) return 0;
  const auto part = static_cast<std::size_t>((std::min(score, 1.0) + 1) / 2 * kScoreParts);
  return std::min(part, kScoreParts - 1);
}

void average_values(Tree& tree, const std::vector<double>& weights) {
  std::vector<double> below(tree.size(), 0);
  for (std::size_t i = tree.size(); i-- > 0;) {
    TreeNode& node = tree[i];
    if (node.feature < 0) {
      below[i] = weights[i];
      continue;
    }
    const double left = below[node.left];
    const double right = below[node.right];
    below[i] = left + right;
    const double share = below[i] > 0 ? left / below[i] : 0.5;
    node.value = share * tree[node.left].value + (1 - share) * tree[node.right].value;
  }
}

}  // namespace shingled::milter::model
