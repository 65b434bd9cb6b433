#include "milter/cli/settings_choice.h"

#include <unistd.h>

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

config::Loaded SettingsArguments::read() const {
  const std::string chosen = chosen_file();
  return chosen.empty() ? config::load_settings("", "built-in", overrides)
                        : config::load_settings_file(chosen, overrides);
}

std::shared_ptr<const Settings> SettingsArguments::load(Console& console) const {
  const config::Loaded loaded = read();
  for (const config::Problem& problem : loaded.problems) {
    if (problem.is_error()) console.note(problem.to_string());
  }
  return loaded.settings;
}

SettingsArguments::Checked SettingsArguments::load_checked(Console& console,
                                                           OtherNames names) const {
  config::Loaded loaded = read();
  if (loaded.settings != nullptr) {
    const auto found = check_start(*loaded.settings, loaded.places, names);
    loaded.problems.insert(loaded.problems.end(), found.begin(), found.end());
  }
  Checked out{loaded.settings, {}};
  for (const config::Problem& problem : loaded.problems) {
    if (problem.is_error()) {
      console.note(terminal_safe(problem.to_string()));
      out.settings = nullptr;
    } else {
      out.warnings.push_back(problem);
    }
  }
  return out;
}

}  // namespace shingled::milter
