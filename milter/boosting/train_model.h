#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/options/milter_options.h"
#include "milter/learning/sample.h"
#include "milter/model/model_evidence.h"

namespace shingled::milter::boosting {

struct TrainOptions {
  std::vector<std::string> features_off;
  std::uint32_t seed = 1;
};

/// A model of messages, which are in the order of time. The last fifth of them says when to end and
/// how a margin counts; then it is trained once more with all of them.
/// Errors:  kInvalid: one class only; those of boost().
Result<model::Model> train_model(std::span<const learning::TaughtMessage> messages,
                                 const TrainOptions& options);

/// What a model is worth on messages that it has not seen. `before`: null = there was none.
model::Figures figures_of(const model::ModelInForce& in_force, const model::ModelInForce* before,
                          std::span<const learning::TaughtMessage> messages,
                          const ActionOptions& actions);

}  // namespace shingled::milter::boosting
