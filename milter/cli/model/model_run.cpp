#include <sysexits.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "config/base/clock.h"
#include "config/system/whole_file.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/model/model_commands.h"
#include "milter/learning/training_process.h"
#include "milter/model/import_model.h"
#include "milter/model/json_reader.h"
#include "milter/model/model_file.h"
#include "milter/model/model_mode.h"

namespace shingled::milter::cli {

namespace {

int failed(Console& console, const char* verb, const Error& error) {
  console.error(std::string("model ") + verb, terminal_safe(error.message));
  return exit_code(error.code);
}

/// A person decides; the daemon takes it in by itself.
int decide(const ModelDecideArguments& arguments, bool live, Console& console) {
  const char* const verb = live ? "live" : "shadow";
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  if (const auto model = model::read_model(settings->model.file); live && !model)
    return failed(console, verb, model.error());
  using Decision = model::ModelDecision;
  const SystemClock clock;
  const Decision decision = {Decision::By::kPerson,
                             live ? Decision::Stage::kLive : Decision::Stage::kShadow,
                             clock.wall().time_since_epoch().count()};
  if (Status kept = model::write_decision(settings->model, decision); !kept)
    return failed(console, verb, kept.error());
  console.line(live ? "the word of the model counts" : "the word of the model is only shown");
  return EX_OK;
}

}  // namespace

int run_model_train(const ModelTrainArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  const std::string program = learning::training_program();
  if (program.empty()) {
    console.error("model train",
                  "this machine has no shingled-train: shingled was built without XGBoost, or the "
                  "library is missing (Debian: libxgboost0)");
    return EX_UNAVAILABLE;
  }
  std::vector<std::string> words = {program, "--since", arguments.since};
  if (const std::string file = arguments.settings->chosen_file(); !file.empty())
    words.insert(words.end(), {"--config", file});
  for (const std::string& item : arguments.settings->all_overrides())
    words.insert(words.end(), {"--override", item});
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  ::execv(program.c_str(), list.data());
  console.error("model train", program + ": " + std::strerror(errno));
  return EX_UNAVAILABLE;
}

int run_model_rollback(const ModelRollbackArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  const auto lock = model::ModelLock::take(settings->model.file);
  if (!lock) return failed(console, "rollback", lock.error());
  if (Status done = model::roll_back(settings->model.file); !done)
    return failed(console, "rollback", done.error());
  const auto now = model::read_model(settings->model.file);
  console.line("the model in force is " + (now ? now->id : std::string("not readable")));
  return EX_OK;
}

int run_model_import(const ModelImportArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  const auto text = read_whole_text(arguments.file, model::kModelBytesMax);
  if (!text) return failed(console, "import", text.error().in(arguments.file));
  auto imported = model::import_model(*text);
  if (!imported) {
    static_cast<void>(failed(console, "import", imported.error().in(arguments.file)));
    return EX_DATAERR;
  }
  const SystemClock clock;
  imported->trained = clock.wall().time_since_epoch().count();
  const auto lock = model::ModelLock::take(settings->model.file);
  if (!lock) return failed(console, "import", lock.error());
  if (Status put = model::publish_model(settings->model.file, *imported); !put)
    return failed(console, "import", put.error());
  console.line(imported->trainer + ": " + std::to_string(imported->trees.size()) + " trees on " +
               std::to_string(imported->features.size()) + " features, in force as " +
               imported->id);
  return EX_OK;
}

int run_model_live(const ModelDecideArguments& arguments, Console& console) {
  return decide(arguments, true, console);
}

int run_model_shadow(const ModelDecideArguments& arguments, Console& console) {
  return decide(arguments, false, console);
}

}  // namespace shingled::milter::cli
