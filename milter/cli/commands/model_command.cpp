#include <CLI/CLI.hpp>
#include <memory>

#include "milter/cli/access/printing.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/history/span_arguments.h"
#include "milter/cli/model/model_commands.h"

namespace shingled::milter::cli {

namespace {

void describe_model_train(CLI::App& verb, ModelTrainArguments& arguments) {
  verb.add_option("--since", arguments.since, "From which message of the history on")
      ->type_name("TIME")
      ->capture_default_str();
  verb.footer(
      R"(Runs the program shingled-train, which needs XGBoost (Debian: libxgboost0). A message teaches what people said of it, else its verdict where
the evidence other than the model is clear. The new model is published only if it finds no less than the rules alone and the
model before it, on messages that it did not see. The daemon takes it in by itself. Exits 0 if it was published, 65 if it
was refused, 69 if the training failed.

Example:
  shingled model train)");
}

void describe_model_show(CLI::App& verb, ModelShowArguments& arguments) {
  verb.add_flag("--json", arguments.json, "One JSON object, as GET /api/1/model");
  verb.footer(R"(Example:
  shingled model show
  shingled model show --json | jq .figures)");
}

void describe_model_try(CLI::App& verb, ModelTryArguments& arguments) {
  verb.add_option("model", arguments.file, "A file with a model; without one that in force")
      ->type_name("FILE");
  add_span_options(arguments.span, verb, "7d");
  verb.add_flag("--json", arguments.json, "One JSON object");
  verb.footer(
      R"(Each message of the history gets the score of all other evidence, and with it the word of the model; nothing is changed.

Example:
  shingled model try --since 7d)");
}

void describe_model_rollback(CLI::App& verb, ModelRollbackArguments& /*arguments*/) {
  verb.footer(R"(Both models change places, so that doing it again undoes it.

Example:
  shingled model rollback)");
}

void describe_model_import(CLI::App& verb, ModelImportArguments& arguments) {
  verb.add_option("model", arguments.file, "JSON of XGBoost or CatBoost")
      ->type_name("FILE")
      ->required();
  verb.footer(
      R"(The names of its features must be those of `shingled features --model`. The model before it is kept for rollback.

Example:
  shingled model import trees.json)");
}

void describe_model_live(CLI::App& verb, ModelDecideArguments& /*arguments*/) {
  verb.footer(R"(Whatever policy.model.mode and policy.promote say, over restarts, too.

Example:
  shingled model live)");
}

void describe_model_shadow(CLI::App& verb, ModelDecideArguments& /*arguments*/) {
  verb.footer(R"(Its word is shown and counted, and has no effect.

Example:
  shingled model shadow)");
}

}  // namespace

void add_model_command(CLI::App& app, Command& chosen) {
  CLI::App* model = app.add_subcommand("model", "Train, show, try and decide about the model");
  model->footer(R"(Example:
  shingled model train
  shingled model show
  shingled model try --since 7d
  shingled model rollback)");
  model->require_subcommand(1);
  const auto settings = std::make_shared<SettingsArguments>();
  settings->add_to(*model);
  add_verb(*model, chosen, "train", "Train a model on the history", run_model_train,
           describe_model_train, settings);
  add_verb(*model, chosen, "show", "Show what the model is worth, and what the history says of it",
           run_model_show, describe_model_show, settings);
  add_verb(*model, chosen, "try", "Try a model on the mail of the last days", run_model_try,
           describe_model_try, settings);
  add_verb(*model, chosen, "rollback", "Put the model before this one in force", run_model_rollback,
           describe_model_rollback, settings);
  add_verb(*model, chosen, "import", "Put a model of XGBoost or CatBoost in force",
           run_model_import, describe_model_import, settings);
  add_verb(*model, chosen, "live", "Let the word of the model count", run_model_live,
           describe_model_live, settings);
  add_verb(*model, chosen, "shadow", "Let the word of the model only be shown", run_model_shadow,
           describe_model_shadow, settings);
}

}  // namespace shingled::milter::cli
