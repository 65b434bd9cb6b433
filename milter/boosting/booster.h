#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/base/result.h"

namespace shingled::milter::boosting {

/// Messages as XGBoost takes them: one row each, NaN = unknown.
struct Matrix {
  std::size_t columns = 0;
  std::vector<float> values;
  std::vector<float> labels;  ///< 1 = bad
  std::vector<float> weights;
  [[nodiscard]] std::size_t rows() const { return labels.size(); }
};

struct BoostOptions {
  std::vector<std::string> names;  ///< of the columns
  std::vector<int> directions;     ///< 1, -1 or 0 of each column
  int rounds_max = 160;
  int patience = 20;  ///< rounds without a better result on `judge` before it ends
  std::uint32_t seed = 1;
};

struct Boosted {
  std::string json;  ///< as XGBoost saves it
  int rounds = 0;
  std::vector<float> margins;  ///< of `judge`
};

/// Trains trees, on one thread. `judge`: messages that say when to end; null = after `rounds_max`.
/// Errors:  kInternal: what XGBoost says.
/// Cost:    see MODEL.md.
Result<Boosted> boost(const Matrix& messages, const Matrix* judge, const BoostOptions& options);

/// The margins that a model of XGBoost gives to rows.
Result<std::vector<float>> margins_of(const std::string& json, const Matrix& messages);

/// "XGBoost 1.7.4"
std::string booster_name();

}  // namespace shingled::milter::boosting
