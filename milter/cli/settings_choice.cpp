#include "milter/cli/settings_choice.h"

#include <unistd.h>

#include "config/load_settings.h"
#include "milter/cli/shell_word.h"

namespace shingled::milter {

namespace {
constexpr const char* kStandardFile = "/etc/shingled/shingled.yaml";
}

void SettingsArguments::add_to(CLI::App& command) {
  command
      .add_option("-c,--config", file,
                  "Configuration (default: /etc/shingled/shingled.yaml if it exists)")
      ->type_name("FILE");
  command.add_option("-o,--option", overrides, "One setting, as section.key=value; value in YAML")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

std::string SettingsArguments::chosen_file() const {
  if (!file.empty()) return file;
  return ::access(kStandardFile, F_OK) == 0 ? kStandardFile : "";
}

std::string SettingsArguments::again() const {
  std::string text = file.empty() ? "" : " -c " + shell_word(file);
  for (const std::string& setting : overrides) text += " -o " + shell_word(setting);
  return text;
}

std::shared_ptr<const Settings> SettingsArguments::load(Console& console) const {
  const std::string chosen = chosen_file();
  const config::Loaded loaded = chosen.empty() ? config::load_settings("", "built-in", overrides)
                                               : config::load_settings_file(chosen, overrides);
  for (const config::Problem& problem : loaded.problems) console.note(problem.to_string());
  return loaded.settings;
}

}  // namespace shingled::milter
