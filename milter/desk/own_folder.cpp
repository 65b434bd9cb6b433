#include "milter/desk/own_folder.h"

#include <unistd.h>

#include <cstdlib>

namespace shingled::milter::desk {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void move_default(std::string& file, const std::string& built_in, const std::string& folder) {
  if (file == built_in) file = folder + built_in.substr(built_in.rfind('/'));
}

}  // namespace

StateHome state_home() { return {::geteuid(), variable("XDG_STATE_HOME"), variable("HOME")}; }

std::optional<std::string> own_state_folder(const StateHome& home) {
  if (home.user == 0) return std::nullopt;
  if (home.xdg_state_home.starts_with('/')) return home.xdg_state_home + "/shingled";
  if (home.home.starts_with('/')) return home.home + "/.local/state/shingled";
  return std::nullopt;
}

void keep_files_in(const std::string& folder, Settings& settings) {
  move_default(settings.storage.engine.hashfile, EngineOptions().hashfile, folder);
  move_default(settings.ratelimit.file, MailLimitOptions().file, folder);
  move_default(settings.model.file, ModelOptions().file, folder);
  move_default(settings.similar.file, SimilarOptions().file, folder);
  move_default(settings.reports.file, ReportOptions().file, folder);
  move_default(settings.policy.allow_file, PolicyOptions().allow_file, folder);
  move_default(settings.policy.block_file, PolicyOptions().block_file, folder);
  CounterOptions& counters = settings.counters;
  const CounterOptions built_in;
  move_default(counters.embedded.directory, built_in.embedded.directory, folder);
  move_default(counters.shared.journal_directory, built_in.shared.journal_directory, folder);
  move_default(settings.history.file, HistoryOptions().file, folder);
}

}  // namespace shingled::milter::desk
