#include <fmt/format.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <memory>

#include "config/base/clock.h"
#include "config/load_settings.h"
#include "milter/boosting/training.h"

namespace {

using shingled::milter::boosting::run_training;
using shingled::milter::boosting::run_trial;
using shingled::milter::boosting::TrainingOptions;
using shingled::milter::learning::TrainingResult;

struct Arguments {
  std::string config;  ///< empty = the standard file, if it exists, else built-in defaults
  std::vector<std::string> overrides;
  TrainingOptions training;
  std::string trial;
  bool timer = false;
};

int run(const Arguments& arguments) {
  constexpr const char* kStandardFile = "/etc/shingled/shingled.yaml";
  std::string file = arguments.config;
  if (file.empty() && ::access(kStandardFile, F_OK) == 0) file = kStandardFile;
  const auto loaded =
      file.empty() ? shingled::config::load_settings("", "built-in defaults", arguments.overrides)
                   : shingled::config::load_settings_file(file, arguments.overrides);
  for (const auto& problem : loaded.problems)
    if (problem.is_error()) fmt::print(stderr, "shingled-train: {}\n", problem.to_string());
  if (loaded.settings == nullptr) return EX_CONFIG;
  const auto go_on = [](const shingled::storage::WorkDone&) { return true; };
  if (!arguments.trial.empty()) {
    const auto lines = run_trial(*loaded.settings, arguments.training, arguments.trial, go_on);
    if (!lines) fmt::print(stderr, "shingled-train: {}\n", lines.error().message);
    if (!lines) return EX_DATAERR;
    fmt::print("{}", *lines);
    return EX_OK;
  }
  if (arguments.timer && (loaded.settings->model.train == shingled::ModelTrain::kOff ||
                          loaded.settings->policy.model.mode == shingled::ModelMode::kOff)) {
    fmt::print("not trained: model.train or policy.model.mode is off\n");
    return EX_OK;
  }
  const shingled::SystemClock clock;
  const TrainingResult result = run_training(*loaded.settings, arguments.training, clock, go_on);
  fmt::print("{}: {}\n", to_string(result.kind), result.text);
  if (result.kind == TrainingResult::Kind::kFailed) return EX_UNAVAILABLE;
  return result.kind == TrainingResult::Kind::kPublished || arguments.timer ? EX_OK : EX_DATAERR;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Trains the model of shingled on the history (shingled model train calls it)",
               "shingled-train");
  Arguments arguments;
  app.add_option("-c,--config", arguments.config, "Settings")->type_name("FILE");
  app.add_option("-o,--override", arguments.overrides, "KEY=VALUE instead of the settings")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app.add_option("--since", arguments.training.span.since, "From which message on, such as 14d");
  app.add_option("--history", arguments.training.history, "Another history")->type_name("FILE");
  app.add_option("--out", arguments.training.out, "Another model")->type_name("FILE");
  app.add_option("--seed", arguments.training.seed, "Of chances");
  app.add_option("--trial", arguments.trial,
                 "Tries it with the labels of a file; publishes nothing")
      ->type_name("FILE");
  app.add_flag("--timer", arguments.timer,
               "Only if model.train is not off; a refusal is not a failure");
  app.footer("Exits 0 for a model that was published, 65 if it was refused, 69 if it failed.");
  CLI11_PARSE(app, argc, argv);
  [[maybe_unused]] const int niceness = ::nice(10);  // mail comes first
  return run(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "shingled-train: %s\n", failure.what());
    return EX_SOFTWARE;
  }
}
