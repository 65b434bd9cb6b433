#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"

namespace shingled::milter::learning {

/// What came of a training.
/// Threads: a value.
struct TrainingResult {
  enum class Kind : std::uint8_t { kPublished, kRefused, kFailed };
  Kind kind = Kind::kFailed;
  std::string text;
  std::int64_t time = 0;  ///< seconds since 1970
};
std::string_view to_string(TrainingResult::Kind kind);  ///< "published" "refused" "failed"

/// Keeps it beside the model.
/// Errors:  those of model::replace_file.
Status write_result(const std::string& model_file, const TrainingResult& result);
/// nullopt: there was no training, or the file cannot be read.
std::optional<TrainingResult> read_result(const std::string& model_file);

/// The path of the program that trains; empty if this machine has none. It is beside this program,
/// or in lib/shingled.
std::string training_program();

/// Starts it, with these settings; its output goes nowhere, as its result is in a file.
/// Errors:  kUnavailable.
Result<pid_t> start_training(const std::string& config, const std::vector<std::string>& overrides);

}  // namespace shingled::milter::learning
