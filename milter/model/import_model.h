#pragma once

#include <string_view>

#include "config/base/result.h"
#include "milter/model/model.h"

namespace shingled::milter::model {

/// The odds of bad mail at the margin `full`: 99 %. At `zero` they are even.
inline constexpr double kFullOdds = 99;

/// Reads a model that XGBoost has saved as JSON: trees of numbers for one yes/no objective, with
/// the names of its features. Margins are those of XGBoost.
/// Errors:  kCorrupt, kInvalid, kLimit: each says what is wrong, or not supported.
/// Threads: stateless.
Result<Model> import_xgboost(std::string_view text);

/// Reads a model that CatBoost has saved as JSON: oblivious trees of numbers, for one yes/no
/// objective. Its margin is scale * (sum of leaves) + bias; bit i of the number of a leaf is
/// 1 if the feature of split i is above its border.
/// Errors:  as import_xgboost.
/// Threads: stateless.
Result<Model> import_catboost(std::string_view text);

/// Whichever of both it is.
Result<Model> import_model(std::string_view text);

}  // namespace shingled::milter::model
