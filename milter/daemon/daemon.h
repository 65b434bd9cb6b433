#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/document/places.h"
#include "config/options/settings.h"

namespace shingled::milter::daemon {

/// The origin of the settings, for the reload at SIGHUP.
struct SettingsSource {
  std::string file;                    ///< empty = built-in defaults
  std::vector<std::string> overrides;  ///< from -o
  /// Warnings of the loader, for the log.
  std::vector<config::Problem> warnings{};
};

/// Runs the daemon in the foreground until SIGTERM or SIGINT. Returns a code of <sysexits.h>: EX_OK
/// after a clean stop, else the one for kDaemon (milter/process/exit_code.h).
/// Threads: call it from main, before any other thread exists (it blocks signals).
int run_daemon(std::shared_ptr<const Settings> settings, const SettingsSource& source);

}  // namespace shingled::milter::daemon
