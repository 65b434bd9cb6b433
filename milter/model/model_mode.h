#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "config/options/milter_options.h"
#include "config/options/settings.h"
#include "milter/model/model_evidence.h"

namespace shingled::milter::model {

/// What was decided of the model, by a person or by its figures; kept beside it over a restart.
/// Threads: a value.
struct ModelDecision {
  enum class By : std::uint8_t { kSettings, kPerson, kFigures };
  enum class Stage : std::uint8_t { kShadow, kProposed, kLive, kReturned };
  By by = By::kSettings;
  Stage stage = Stage::kShadow;
  std::int64_t since = 0;  ///< seconds since 1970
  friend bool operator==(const ModelDecision&, const ModelDecision&) = default;
};

std::string_view to_string(ModelDecision::By by);        ///< "settings" "person" "figures"
std::string_view to_string(ModelDecision::Stage stage);  ///< "shadow" "proposed" "live" "returned"

/// Beside the model.
std::string decision_file(const ModelOptions& options);
/// A file that is not there, or cannot be read: nothing was decided.
ModelDecision read_decision(const ModelOptions& options);
/// Errors: those of replace_file.
Status write_decision(const ModelOptions& options, const ModelDecision& decision);

/// Whether the word of the model counts: what a person decided, else what its figures did with
/// `policy.promote: auto`, else the settings.
bool is_live(const PolicyOptions& policy, const ModelDecision& decision);

/// The model of some settings, as it is on the disk now; null if there is none, or its mode is off.
/// Errors: those of read_model, but no file is no error.
Result<std::shared_ptr<const ModelInForce>> open_model(const ModelOptions& options,
                                                       const PolicyOptions& policy);

}  // namespace shingled::milter::model
