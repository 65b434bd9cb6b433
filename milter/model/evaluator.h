#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
  /// A leaf leads to itself.
  struct Node {
    float threshold = 0;
    std::uint16_t column = 0;
    std::uint8_t unknown_right = 0;
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    std::int64_t value = 0;
  };
  void add_tree(const Model& model, const Tree& tree, double factor);

  std::vector<Node> nodes_;
  struct Root {
    std::uint32_t node;
    std::uint32_t depth;
  };
  std::vector<Root> roots_;
  std::int64_t base_ = 0;  ///< with the averages of all roots
};

}  // namespace shingled::milter::model
