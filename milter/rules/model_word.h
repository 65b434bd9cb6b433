#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::milter::rules {

/// What the model says of a message, and why.
/// Threads: a value.
struct ModelWord {
  struct Contribution {
    std::string_view feature;          ///< a constant: a column, or "base" or "limit"
    std::optional<double> value = {};  ///< nullopt = unknown
    double score = 0;                  ///< not 0
  };
  double score = 0;
  bool shadow = false;  ///< it has no effect
  std::string id;       ///< of the model
  /// The strongest first; their sum is the score exactly.
  std::vector<Contribution> contributions;
};

}  // namespace shingled::milter::rules
