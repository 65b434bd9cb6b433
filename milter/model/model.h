#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"

namespace shingled::milter::model {

// The most of a model.
inline constexpr std::size_t kTreesMax = 1000;
inline constexpr std::size_t kNodesMax = 200'000;  ///< of all trees
inline constexpr std::size_t kDepthMax = 8;
inline constexpr std::size_t kNamesMax = 4000;
inline constexpr double kValueMax = 10'000;

/// A node of a tree. A message goes left if its feature is below the threshold.
struct TreeNode {
  std::int32_t feature = -1;  ///< place in Model::features; -1 = a leaf
  float threshold = 0;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  bool unknown_left = false;  ///< where a message goes whose feature is unknown
  double value = 0;           ///< of a leaf; above it what messages there have on average
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};
/// The root is the first node.
using Tree = std::vector<TreeNode>;

struct ModelFeature {
  std::string name;     ///< of a column
  double gain = 0;      ///< share of what all splits gain
  double unknown = -1;  ///< share of the messages of the training that lack it; -1 = not known
  friend bool operator==(const ModelFeature&, const ModelFeature&) = default;
};

/// The part of the bad mail that is found while no wanted message is hit, or one in a thousand.
struct Recall {
  double at_none = 0;
  double at_thousandth = 0;
  friend bool operator==(const Recall&, const Recall&) = default;
};

/// What a model is worth, on messages that its training did not see.
struct Figures {
  std::uint64_t bad = 0;
  std::uint64_t wanted = 0;
  double calibration_error = 0;
  Recall rules;
  Recall model;
  Recall both;
  Recall before;
  bool has_before = false;
  friend bool operator==(const Figures&, const Figures&) = default;
};

/// Of what a model was made.
struct TrainedOn {
  std::int64_t since = 0;  ///< seconds since 1970
  std::int64_t until = 0;
  std::uint64_t bad = 0;
  std::uint64_t wanted = 0;
  std::uint64_t reported = 0;  ///< of the bad ones by people
  std::uint64_t rescued = 0;   ///< of the wanted ones
  std::uint64_t left_out = 0;  ///< the sample is bounded
  friend bool operator==(const TrainedOn&, const TrainedOn&) = default;
};

/// What the model said in the training: the shares of equal parts of -1 to 1, where 1 stands for
/// `policy.model.score_max`.
inline constexpr std::size_t kScoreParts = 16;
using ScoreShares = std::array<double, kScoreParts>;
/// Which part a score belongs to; those beyond -1 and 1 are in the outermost ones.
std::size_t part_of_score(double score);

/// A model as it is in its file (MODEL.md). Its margin is `base` and a leaf of each tree. `zero` is
/// the margin that speaks neither for nor against a message, `full` the one that counts as
/// `policy.model.score_max`.
/// Threads: a value.
struct Model {
  std::string id;  ///< 16 hexadecimal digits; made by text_of
  std::int64_t trained = 0;
  std::string trainer;
  double base = 0;
  double zero = 0;
  double full = 1;
  std::vector<ModelFeature> features;
  std::vector<Tree> trees;
  TrainedOn from;
  Figures figures;
  bool has_figures = false;  ///< an imported model has none
  ScoreShares scores{};
  friend bool operator==(const Model&, const Model&) = default;
};

/// Checks all of a model: its trees index by index, its numbers, its names.
/// Errors:  kCorrupt: a tree is wrong, a number is not finite or too large; kLimit; kInvalid: a
///          feature does not exist, or is there twice. Each says where.
Status check_model(const Model& model);

/// Gives the nodes above the leaves the average of `weights`, one for each node; of equal weights
/// if they are all 0.
void average_values(Tree& tree, const std::vector<double>& weights);

}  // namespace shingled::milter::model
