#include "milter/cli/access/state_folder.h"

#include <unistd.h>

#include <cstdlib>

namespace shingled::milter::cli {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void move_default(std::string& file, const std::string& built_in, const std::string& folder) {
  if (file == built_in) file = folder + built_in.substr(built_in.rfind('/'));
}

}  // namespace

StateHome state_home() { return {::geteuid(), environment("XDG_STATE_HOME"), environment("HOME")}; }

std::optional<std::string> own_state_folder(const StateHome& home) {
  if (home.user == 0) return std::nullopt;
  if (home.xdg_state_home.starts_with('/')) return home.xdg_state_home + "/shingled";
  if (home.home.starts_with('/')) return home.home + "/.local/state/shingled";
  return std::nullopt;
}

void keep_files_in(const std::string& folder, Settings& settings) {
  move_default(settings.storage.engine.hashfile, EngineOptions().hashfile, folder);
  move_default(settings.ratelimit.file, MailLimitOptions().file, folder);
  move_default(settings.similar.file, SimilarOptions().file, folder);
}

}  // namespace shingled::milter::cli
