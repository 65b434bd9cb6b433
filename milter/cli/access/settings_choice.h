#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/load_settings.h"
#include "config/options/settings.h"
#include "milter/cli/access/printing.h"
#include "milter/daemon/start_check.h"

namespace shingled::milter::cli {

/// The configuration that a command works with: -c, --environment and -o.
struct SettingsArguments {
  std::string file;  ///< empty = the standard file if it exists, else built-in defaults
                     ///< (those of a user without /var/lib/shingled: own_state_folder)
  std::vector<std::string> overrides;  ///< of -o
  bool environment = false;            ///< --environment: variables SHINGLED_SECTION__KEY
  ClientOptions daemon;  ///< of --server, --key-file and --ca-file; paths as the user wrote them

  void add_to(CLI::App& command);
  /// The same with the options that choose a daemon, for commands that ask one over its API.
  void add_with_daemon_to(CLI::App& command);
  /// Only these, for one command of several that share the others.
  void add_daemon_to(CLI::App& command);
  /// What such a daemon needs, for a command that has a --server of its own.
  void add_daemon_key_to(CLI::App& command);
  /// Those of the environment, if it counts, and then those of -o.
  [[nodiscard]] std::vector<std::string> all_overrides() const;
  /// The file to read; empty = built-in defaults.
  [[nodiscard]] std::string chosen_file() const;
  /// Where the file is, or would be: also one of -c that does not exist, and the standard one.
  [[nodiscard]] std::string place() const;
  /// The same choice for another command: " -c FILE --environment -o KEY=VALUE", quoted for a
  /// shell.
  [[nodiscard]] std::string again() const;
  /// The settings; null if they have errors. All problems are then on the error stream, and the
  /// command ends with EX_CONFIG.
  [[nodiscard]] std::shared_ptr<const Settings> load(Console& console) const;

  /// For commands that work with built-in defaults as well: where nobody chose a file, and this
  /// user may not read the standard one, they are used, and the error stream says so.
  [[nodiscard]] std::shared_ptr<const Settings> load_if_allowed(Console& console) const;

  /// Settings that the daemon can start with, and the warnings.
  struct Checked {
    std::shared_ptr<const Settings> settings;  ///< null: there are errors
    std::vector<config::Problem> warnings;
  };
  /// Also runs check_start(). Every error is on the error stream.
  [[nodiscard]] Checked load_checked(Console& console, daemon::OtherNames names) const;
  /// The settings with all problems of the files, but without those of the rules of `policy`.
  [[nodiscard]] config::Loaded read() const;

 private:
  [[nodiscard]] config::Loaded read_built_in() const;
};

}  // namespace shingled::milter::cli
