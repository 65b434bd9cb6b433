#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "milter/model/model.h"
#include "milter/model/vector.h"

namespace shingled::milter::model {

/// What a margin counts for: (margin - zero) * factor.
struct Scale {
  double zero = 0;
  double factor = 1;

  /// So that the margin `full` of a model counts `score_max`.
  static Scale of(const Model& model, double score_max) {
    return {model.zero, score_max / (model.full - model.zero)};
  }
};

/// What one feature added to the word of a model.
struct Share {
  std::size_t column = 0;
  double score = 0;
};

/// A score with the features that made it: `base` and the shares sum to it exactly, in any order,
/// because all of them are multiples of 2^-32.
struct Explained {
  double score = 0;
  double base = 0;
  std::vector<Share> shares;  ///< the strongest first; none is 0
};

/// The trees of a model, for messages. What a feature adds is the difference of the averages of the
/// nodes before and after each question about it.
/// Threads: immutable.
class Evaluator {
 public:
  /// `model`: checked.
  Evaluator(const Model& model, const Scale& scale);

  [[nodiscard]] double score(const Vector& vector) const;
  [[nodiscard]] Explained explain(const Vector& vector) const;

 private:
  /// 16 bytes, so that a way through 200 trees touches little memory. Children are neighbours. A
  /// leaf leads to itself: the ways through several trees are walked in step, each at its own
  /// depth.
  struct Node {
    float threshold = 0;
    std::uint16_t slot = 0;  ///< where its question finds the value, and leaves what it changed
    std::uint16_t left = 0;  ///< counted from the root; the right child is the next one
    std::int64_t step = 0;   ///< its average less that of its parent
  };
  static constexpr std::size_t kAbreast = 8;
  /// Roots of trees that are walked at a time.
  struct Team {
    std::array<std::uint32_t, kAbreast> roots{};
    std::uint32_t depth = 0;
  };
  struct TreePlace {
    std::uint32_t root;
    std::uint32_t depth;
  };
  /// `places`: of the columns of the model's features among `columns_`.
  TreePlace add_tree(const Tree& tree, std::span<const std::uint16_t> places, double factor);
  /// What each column of `columns_` adds.
  [[nodiscard]] std::vector<std::int64_t> walk(const Vector& vector) const;

  std::vector<std::uint16_t> columns_;  ///< that the trees ask for, in their order
  std::vector<Node> nodes_;             ///< the first is a leaf, for teams that lack a tree
  std::vector<Team> teams_;
  std::int64_t base_ = 0;  ///< with the averages of all roots
};

}  // namespace shingled::milter::model
