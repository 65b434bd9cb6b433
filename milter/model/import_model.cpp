#include "milter/model/import_model.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "milter/model/json_reader.h"

namespace shingled::milter::model {

namespace {

using nlohmann::json;

Error wrong(std::string text) { return {ErrorCode::kCorrupt, std::move(text)}; }
Error unsupported(std::string text) { return {ErrorCode::kInvalid, std::move(text)}; }

/// A list of numbers, one for each node.
class NumberList {
 public:
  NumberList(const json& tree, const char* name) : list_(member(tree, name)) {}
  [[nodiscard]] bool has(std::size_t count) const {
    return list_.is_array() && list_.size() == count;
  }
  [[nodiscard]] double at(std::size_t i) const {
    const json& item = list_[i];
    if (item.is_boolean()) return item.get<bool>() ? 1 : 0;
    return item.is_number() ? item.get<double>() : std::numeric_limits<double>::quiet_NaN();
  }
  /// A place below `most`; -1 if it is not one.
  [[nodiscard]] std::int64_t place(std::size_t i, std::size_t most) const {
    const double value = at(i);
    if (!(value >= 0) || value >= static_cast<double>(most) || value != std::floor(value))
      return -1;
    return static_cast<std::int64_t>(value);
  }

 private:
  const json& list_;
};

/// The nodes in an order in which children follow their parents; only those that can be reached.
Result<Tree> in_order(const Tree& tree, const std::vector<double>& weights, std::size_t number) {
  std::vector<std::size_t> order = {0};
  std::vector<bool> seen(tree.size());
  Tree out;
  std::vector<double> moved;
  for (std::size_t next = 0; next < order.size(); ++next) {
    const std::size_t from = order[next];
    if (seen[from]) return wrong(fmt::format("tree {}, node {}: it has two parents", number, from));
    seen[from] = true;
    TreeNode node = tree[from];
    if (node.feature >= 0) {
      for (std::uint32_t* const child : {&node.left, &node.right}) {
        if (*child >= tree.size())
          return wrong(fmt::format("tree {}, node {}: a child is outside", number, from));
        order.push_back(*child);
        *child = static_cast<std::uint32_t>(order.size() - 1);
      }
      if (order.size() > tree.size())
        return wrong(fmt::format("tree {}: its nodes are a circle", number));
    }
    out.push_back(node);
    moved.push_back(weights[from]);
  }
  average_values(out, moved);
  return out;
}

Result<Tree> xgboost_tree(const json& from, std::size_t number, std::size_t features) {
  const NumberList left(from, "left_children");
  const NumberList right(from, "right_children");
  const NumberList index(from, "split_indices");
  const NumberList condition(from, "split_conditions");
  const NumberList unknown(from, "default_left");
  const NumberList weight(from, "sum_hessian");
  const json& first = member(from, "left_children");
  const std::size_t nodes = first.is_array() ? first.size() : 0;
  for (const NumberList* list : {&right, &index, &condition, &unknown, &weight})
    if (nodes == 0 || nodes > kNodesMax || !list->has(nodes))
      return wrong(fmt::format("tree {}: a list is missing or too short", number));
  const json& categories = member(from, "categories");
  if (categories.is_array() && !categories.empty())
    return unsupported(fmt::format("tree {}: it splits by categories", number));
  Tree tree(nodes);
  std::vector<double> weights(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    weights[i] = std::isfinite(weight.at(i)) ? std::max(weight.at(i), 0.0) : 0;
    if (left.at(i) == -1) {
      tree[i].value = condition.at(i);
      continue;
    }
    const std::int64_t feature = index.place(i, features);
    const std::int64_t to_left = left.place(i, nodes);
    const std::int64_t to_right = right.place(i, nodes);
    if (feature < 0 || to_left < 0 || to_right < 0)
      return wrong(fmt::format("tree {}, node {}: a number is out of range", number, i));
    tree[i] = {static_cast<std::int32_t>(feature),
               static_cast<float>(condition.at(i)),
               static_cast<std::uint32_t>(to_left),
               static_cast<std::uint32_t>(to_right),
               unknown.at(i) == 1,
               0};
  }
  return in_order(tree, weights, number);
}

/// Features gain where values of leaves differ much and many messages come.
void set_gains(Model& model) {
  double all = 0;
  for (const Tree& tree : model.trees) {
    for (const TreeNode& node : tree) {
      if (node.feature < 0) continue;
      const double spread = std::abs(tree[node.left].value - tree[node.right].value);
      model.features[static_cast<std::size_t>(node.feature)].gain += spread;
      all += spread;
    }
  }
  if (all > 0)
    for (ModelFeature& feature : model.features) feature.gain /= all;
}

/// Only the features that a tree asks for stay.
void drop_unused(Model& model) {
  std::vector<std::int32_t> places(model.features.size(), -1);
  std::vector<ModelFeature> used;
  for (Tree& tree : model.trees) {
    for (TreeNode& node : tree) {
      if (node.feature < 0) continue;
      const auto feature = static_cast<std::size_t>(node.feature);
      if (places[feature] < 0) {
        places[feature] = static_cast<std::int32_t>(used.size());
        used.push_back(model.features[feature]);
      }
      node.feature = places[feature];
    }
  }
  model.features = std::move(used);
}

/// What a model without a history of its own counts: even chances count nothing, 99 % all.
void set_usual_scale(Model& model) {
  model.zero = 0;
  model.full = std::log(kFullOdds);
}

Result<Model> finished(Model model) {
  // A split that the trees have, and no line of the list, was refused before.
  drop_unused(model);
  if (Status checked = check_model(model); !checked) return checked.error();
  set_gains(model);
  set_usual_scale(model);
  return model;
}

}  // namespace

Result<Model> import_xgboost(std::string_view text) {
  const auto read = read_json(text);
  if (!read) return read.error();
  const json& learner = member(*read, "learner");
  const json& booster = member(learner, "gradient_booster");
  if (text_of(member(booster, "name")) != "gbtree")
    return unsupported("not a model of XGBoost with the booster gbtree");
  const std::string objective = text_of(member(member(learner, "objective"), "name"));
  if (objective != "binary:logistic" && objective != "binary:logitraw")
    return unsupported(fmt::format("the objective is \"{:.60}\", not binary:logistic", objective));
  Model out;
  const json& names = member(learner, "feature_names");
  if (!names.is_array() || names.empty() || names.size() > kNamesMax)
    return unsupported("it has no names of features");
  for (const json& name : names) out.features.push_back({text_of(name)});
  const double score = number_of(member(member(learner, "learner_model_param"), "base_score"), 0.5);
  if (!(score > 0 && score < 1)) return wrong("base_score is not between 0 and 1");
  out.base = std::log(score / (1 - score));
  const json& model = member(booster, "model");
  const json& trees = member(model, "trees");
  if (!trees.is_array() || trees.size() > kTreesMax)
    return Error{ErrorCode::kLimit, fmt::format("it has no trees, or more than {}", kTreesMax)};
  for (const json& from : trees) {
    auto tree = xgboost_tree(from, out.trees.size(), out.features.size());
    if (!tree) return tree.error();
    out.trees.push_back(*std::move(tree));
  }
  out.trainer = "XGBoost, imported";
  return finished(std::move(out));
}

namespace {

struct Split {
  std::int32_t feature = 0;
  float border = 0;
  bool unknown_above = false;
};

Result<Split> catboost_split(const json& from, const json& floats, std::size_t number) {
  const std::string type = text_of(member(from, "split_type"));
  if (!type.empty() && type != "FloatFeature")
    return unsupported(fmt::format("tree {}: a split is of type {:.40}", number, type));
  const json& index = member(from, "float_feature_index");
  const json& border = member(from, "border");
  if (!index.is_number_unsigned() || index.get<std::uint64_t>() >= floats.size() ||
      !border.is_number())
    return wrong(fmt::format("tree {}: a split has no feature or no border", number));
  Split out;
  out.feature = index.get<std::int32_t>();
  out.border = static_cast<float>(border.get<double>());
  out.unknown_above = text_of(member(floats[static_cast<std::size_t>(out.feature)],
                                     "nan_value_treatment")) == "AsTrue";
  return out;
}

/// The tree with the last split at its root, as it is the highest bit of the number of a leaf.
Result<Tree> catboost_tree(const json& from, const json& floats, std::size_t number) {
  const json& splits = member(from, "splits");
  const json& values = member(from, "leaf_values");
  const NumberList weight(from, "leaf_weights");
  if (!splits.is_array() || splits.size() > kDepthMax)
    return Error{ErrorCode::kLimit, fmt::format("tree {} is deeper than {}", number, kDepthMax)};
  const std::size_t depth = splits.size();
  const std::size_t leaves = std::size_t{1} << depth;
  if (!values.is_array() || values.size() != leaves)
    return wrong(fmt::format("tree {}: {} splits need {} leaves", number, depth, leaves));
  Tree tree(2 * leaves - 1);
  std::vector<double> weights(tree.size(), 1);
  for (std::size_t level = 0; level < depth; ++level) {
    const auto split = catboost_split(splits[depth - 1 - level], floats, number);
    if (!split) return split.error();
    for (std::size_t i = (std::size_t{1} << level) - 1; i < (std::size_t{2} << level) - 1; ++i)
      tree[i] = {split->feature,
                 std::nextafter(split->border, std::numeric_limits<float>::infinity()),
                 static_cast<std::uint32_t>(2 * i + 1),
                 static_cast<std::uint32_t>(2 * i + 2),
                 !split->unknown_above,
                 0};
  }
  for (std::size_t i = 0; i < leaves; ++i) {
    if (!values[i].is_number())
      return wrong(fmt::format("tree {}: a leaf is not a number", number));
    tree[leaves - 1 + i].value = values[i].get<double>();
    if (weight.has(leaves)) weights[leaves - 1 + i] = std::max(weight.at(i), 0.0);
  }
  average_values(tree, weights);
  return tree;
}

}  // namespace

Result<Model> import_catboost(std::string_view text) {
  const auto read = read_json(text);
  if (!read) return read.error();
  const json& trees = member(*read, "oblivious_trees");
  const json& info = member(*read, "features_info");
  const json& floats = member(info, "float_features");
  if (!trees.is_array() || !floats.is_array())
    return unsupported("not a model of CatBoost with oblivious trees");
  for (const char* other : {"categorical_features", "text_features", "embedding_features"}) {
    const json& list = member(info, other);
    if (list.is_array() && !list.empty())
      return unsupported(fmt::format("it has {}; only numbers are supported", other));
  }
  if (floats.size() > kNamesMax || trees.size() > kTreesMax)
    return Error{ErrorCode::kLimit,
                 fmt::format("more than {} trees or {} features", kTreesMax, kNamesMax)};
  Model out;
  for (const json& feature : floats)
    out.features.push_back({text_of(member(feature, "feature_id"))});
  double scale = 1;
  const json& bias = member(*read, "scale_and_bias");
  if (bias.is_array() && bias.size() == 2) {
    scale = number_of(bias[0], 1);
    const json& offset = bias[1].is_array() && bias[1].size() == 1 ? bias[1][0] : bias[1];
    out.base = number_of(offset, std::numeric_limits<double>::quiet_NaN());
  }
  for (const json& from : trees) {
    auto tree = catboost_tree(from, floats, out.trees.size());
    if (!tree) return tree.error();
    for (TreeNode& node : *tree) node.value *= scale;
    out.trees.push_back(*std::move(tree));
  }
  out.trainer = "CatBoost, imported";
  return finished(std::move(out));
}

Result<Model> import_model(std::string_view text) {
  const auto read = read_json(text);
  if (!read) return read.error();
  return member(*read, "oblivious_trees").is_array() ? import_catboost(text) : import_xgboost(text);
}

}  // namespace shingled::milter::model
