#pragma once

#include <memory>
#include <string>

#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/replay/history_span.h"

namespace shingled::milter::cli {

// The commands on the model. Each returns its exit code.

struct ModelArguments {
  std::shared_ptr<SettingsArguments> settings;
  bool json = false;
};

struct ModelTrainArguments : ModelArguments {
  std::string since = "14d";
};
/// Runs the program that trains in the place of this one. EX_UNAVAILABLE if this machine has none.
int run_model_train(const ModelTrainArguments& arguments, Console& console);

struct ModelShowArguments : ModelArguments {};
/// Prints the model, what it is worth, and what the history says of it.
int run_model_show(const ModelShowArguments& arguments, Console& console);

struct ModelTryArguments : ModelArguments {
  std::string file;  ///< empty = the model in force
  replay::HistorySpan span = {.since = "7d"};
};
/// Tries a model on the history.
int run_model_try(const ModelTryArguments& arguments, Console& console);

struct ModelRollbackArguments : ModelArguments {};
/// Puts the model before this one in force.
int run_model_rollback(const ModelRollbackArguments& arguments, Console& console);

struct ModelImportArguments : ModelArguments {
  std::string file;
};
/// Puts a model of XGBoost or CatBoost in force. EX_DATAERR if it cannot be used.
int run_model_import(const ModelImportArguments& arguments, Console& console);

struct ModelDecideArguments : ModelArguments {};
/// A person decides whether the word of the model counts.
int run_model_live(const ModelDecideArguments& arguments, Console& console);
int run_model_shadow(const ModelDecideArguments& arguments, Console& console);

}  // namespace shingled::milter::cli
