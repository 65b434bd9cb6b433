#include "milter/cli/access/settings_choice.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "config/overrides.h"
#include "config/promotions/promoted_rules.h"
#include "config/system/os_error.h"
#include "milter/cli/access/printing.h"
#include "milter/desk/own_folder.h"
#include "milter/policy/policy_rules.h"

namespace shingled::milter::cli {

namespace {

constexpr const char* kStandardFile = "/etc/shingled/shingled.yaml";
constexpr const char* kStandardFolder = "/var/lib/shingled";

/// A program that is installed outside of /usr as PREFIX/bin/shingled has its configuration in
/// PREFIX/etc.
std::string file_beside_program() {
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  return program.parent_path().parent_path() / "etc/shingled/shingled.yaml";
}

/// Built-in defaults also work for a user without that folder, in a folder in the home.
void use_own_folder(Settings& settings) {
  std::error_code failure;
  if (std::filesystem::exists(kStandardFolder, failure)) return;
  const auto folder = desk::own_state_folder(desk::state_home());
  if (!folder) return;
  // If it cannot be made, the code that needs it reports that.
  if (std::filesystem::create_directories(*folder, failure)) {
    std::filesystem::permissions(*folder, std::filesystem::perms::owner_all, failure);
  }
  desk::keep_files_in(*folder, settings);
}

/// What --server and the others say, as settings.
std::vector<std::string> settings_of(const ClientOptions& daemon) {
  const auto absolute = [](const std::string& path) {
    std::error_code failure;
    return std::filesystem::absolute(path, failure).string();
  };
  std::vector<std::string> out;
  if (!daemon.server.empty()) out.push_back("client.server=" + daemon.server);
  if (!daemon.key_file.empty()) out.push_back("client.key_file=" + absolute(daemon.key_file));
  if (!daemon.ca_file.empty()) out.push_back("client.ca_file=" + absolute(daemon.ca_file));
  return out;
}

/// Null if there are errors, which are then on the error stream.
std::shared_ptr<const Settings> sound_settings(const config::Loaded& loaded, Console& console) {
  std::vector<config::Problem> problems = loaded.problems;
  if (loaded.settings != nullptr) problems = policy::policy_rules(*loaded.settings).problems;
  bool sound = loaded.settings != nullptr;
  for (const config::Problem& problem : problems) {
    if (!problem.is_error()) continue;
    console.note(terminal_safe(problem.to_string()));
    sound = false;
  }
  return sound ? loaded.settings : nullptr;
}

/// Of problems with an attempt: those of values that could be read.
void keep_certain(std::vector<config::Problem>& found, const config::Loaded& loaded) {
  std::erase_if(found, [&](const config::Problem& problem) {
    return loaded.places.find(problem.key) == nullptr ||
           std::ranges::find(loaded.problems, problem.key, &config::Problem::key) !=
               loaded.problems.end();
  });
}

}  // namespace

void SettingsArguments::add_to(CLI::App& command) {
  command
      .add_option("-c,--config", file,
                  "Configuration file (default: /etc/shingled/shingled.yaml below the prefix)")
      ->type_name("FILE");
  command
      .add_option("-o,--option", overrides, "One setting as section.key=value; the value is YAML")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_flag("--environment", environment,
                   "Settings of variables SHINGLED_SECTION__KEY, too; -o counts more");
}

void SettingsArguments::add_with_daemon_to(CLI::App& command) {
  add_to(command);
  add_daemon_to(command);
}

void SettingsArguments::add_daemon_to(CLI::App& command) {
  command
      .add_option("--server", daemon.server,
                  "Ask the daemon of another machine (client.server): https://HOST[:PORT]")
      ->type_name("URL");
  add_daemon_key_to(command);
}

void SettingsArguments::add_daemon_key_to(CLI::App& command) {
  command
      .add_option("--key-file", daemon.key_file,
                  "Has the key that `shingled key add` showed there (client.key_file)")
      ->type_name("FILE");
  command
      .add_option("--ca-file", daemon.ca_file,
                  "Certificates to trust instead of those of the system (client.ca_file)")
      ->type_name("FILE");
}

std::vector<std::string> SettingsArguments::all_overrides() const {
  std::vector<std::string> out;
  if (environment) out = config::environment_overrides(environ);
  out.insert(out.end(), overrides.begin(), overrides.end());
  for (std::string& setting : settings_of(daemon)) out.push_back(std::move(setting));
  return out;
}

std::string SettingsArguments::chosen_file() const {
  if (!file.empty()) return file;
  for (const std::string& standard : {file_beside_program(), std::string(kStandardFile)}) {
    if (::access(standard.c_str(), F_OK) == 0) return standard;
  }
  return "";
}

std::string SettingsArguments::place() const {
  std::string chosen = chosen_file();
  if (!chosen.empty()) return chosen;
  const std::string beside = file_beside_program();
  std::error_code unknown;
  const bool is_installed =
      std::filesystem::is_directory(std::filesystem::path(beside).parent_path(), unknown);
  return is_installed ? beside : kStandardFile;
}

std::string SettingsArguments::again() const {
  std::string text = file.empty() ? "" : " -c " + shell_word(file);
  if (environment) text += " --environment";  // not their values: they may be secret
  for (const std::string& setting : overrides) text += " -o " + shell_word(setting);
  for (const std::string& setting : settings_of(daemon)) text += " -o " + shell_word(setting);
  return text;
}

config::Loaded SettingsArguments::read() const {
  const std::string chosen = chosen_file();
  return chosen.empty() ? read_built_in() : config::load_settings_file(chosen, all_overrides());
}

config::Loaded SettingsArguments::read_built_in() const {
  config::Loaded loaded = config::load_settings("", "built-in", all_overrides());
  if (loaded.settings == nullptr) return loaded;
  Settings settings = *loaded.settings;
  use_own_folder(settings);
  // The history may be in another folder now. Whoever needs what is beside it reports problems.
  static_cast<void>(config::use_promotions(settings));
  loaded.settings = std::make_shared<const Settings>(std::move(settings));
  return loaded;
}

std::shared_ptr<const Settings> SettingsArguments::load(Console& console) const {
  return sound_settings(read(), console);
}

std::shared_ptr<const Settings> SettingsArguments::load_if_allowed(Console& console) const {
  const std::string chosen = chosen_file();
  const bool denied = file.empty() && !chosen.empty() &&
                      ::faccessat(AT_FDCWD, chosen.c_str(), R_OK, AT_EACCESS) != 0 &&
                      is_refusal(errno);
  if (!denied) return load(console);
  console.note("shingled: " + terminal_safe(chosen) +
               ": not readable for this user, so built-in defaults count");
  return sound_settings(read_built_in(), console);
}
SettingsArguments::Checked SettingsArguments::load_checked(Console& console,
                                                           daemon::OtherNames names) const {
  config::Loaded loaded = read();
  if (loaded.attempt != nullptr) {
    auto found =
        daemon::check_start(loaded.settings != nullptr ? *loaded.settings : *loaded.attempt,
                            loaded.places, names, chosen_file());
    if (loaded.settings == nullptr) keep_certain(found, loaded);
    loaded.problems.insert(loaded.problems.end(), found.begin(), found.end());
  }
  Checked out{loaded.settings, {}};
  for (const config::Problem& problem : loaded.problems) {
    // Mail must not go unfiltered for a fault; who asks beforehand wants to know of it.
    const bool is_fault = problem.severity == config::Problem::Severity::kFault;
    if (problem.is_error() || (is_fault && names == daemon::OtherNames::kLookUp)) {
      console.note(terminal_safe(problem.to_string()));
      out.settings = nullptr;
    } else {
      out.warnings.push_back(problem);
    }
  }
  return out;
}

}  // namespace shingled::milter::cli
