#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "config/options/settings.h"
#include "milter/learning/survey.h"
#include "milter/learning/training_process.h"
#include "milter/model/model_evidence.h"
#include "milter/model/model_mode.h"
#include "milter/view/json.h"

namespace shingled::milter::learning {

/// All that is shown of the model.
struct ModelStatus {
  std::shared_ptr<const Settings> settings;
  std::shared_ptr<const model::ModelInForce> in_force;  ///< null = there is none
  std::string unreadable;                               ///< why a model that is there has no word
  Survey survey;
  model::ModelDecision decision;
  std::optional<TrainingResult> last;  ///< of the trainings
  bool running = false;                ///< a training
  bool can_train = false;              ///< this machine has the program
  struct Before {
    std::string id;
    std::int64_t trained = 0;
  };
  std::optional<Before> before;
};

/// What is in the files of these settings; without a survey. `running`: as far as a lock tells.
ModelStatus status_now(const std::shared_ptr<const Settings>& settings);

/// How far what the model says now differs from what it said in training, from 0 to 1.
double distance_of(const model::ScoreShares& a, const model::ScoreShares& b);

/// As API.md says, "The model".
Json status_json(const ModelStatus& status);

}  // namespace shingled::milter::learning
