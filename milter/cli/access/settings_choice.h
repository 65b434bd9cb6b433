#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <vector>

#include "config/load_settings.h"
#include "milter/cli/terminal/console.h"
#include "milter/daemon/start_check.h"

namespace shingled::milter::cli {

/// The configuration that a command works with: -c and -o.
struct SettingsArguments {
  std::string file;  ///< empty = the standard file if it exists, else built-in defaults
                     ///< (those of a user without /var/lib/shingled: state_folder.h)
  std::vector<std::string> overrides;

  void add_to(CLI::App& command);
  /// The file to read; empty = built-in defaults.
  [[nodiscard]] std::string chosen_file() const;
  /// The same choice for another command: " -c FILE -o KEY=VALUE", quoted for a shell.
  [[nodiscard]] std::string again() const;
  /// The settings; null if they have errors. All problems are then on the error stream, and the
  /// command ends with EX_CONFIG.
  [[nodiscard]] std::shared_ptr<const Settings> load(Console& console) const;

  /// Settings that the daemon can start with, and the warnings.
  struct Checked {
    std::shared_ptr<const Settings> settings;  ///< null: there are errors
    std::vector<config::Problem> warnings;
  };
  /// Also runs check_start(). Every error is on the error stream.
  [[nodiscard]] Checked load_checked(Console& console, daemon::OtherNames names) const;

 private:
  [[nodiscard]] config::Loaded read() const;
};

}  // namespace shingled::milter::cli
