#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/document/places.h"
#include "config/options/settings.h"

namespace shingled::milter::daemon {

/// Where the daemon's settings came from, for reload at SIGHUP.
struct SettingsSource {
  std::string file;                    ///< empty = built-in defaults
  std::vector<std::string> overrides;  ///< from -o
  /// Warnings that came with the settings, for the log.
  std::vector<config::Problem> warnings{};
};

/// Runs the daemon in the foreground until SIGTERM or SIGINT: milter, storage, signals. Returns a
/// sysexits code: 0 after a clean stop, EX_CONFIG, EX_UNAVAILABLE (port or file in use), EX_NOPERM,
/// EX_OSERR, EX_DATAERR.
/// Threads: call from main, before any other thread exists (it blocks signals).
int run_daemon(std::shared_ptr<const Settings> settings, const SettingsSource& source);

}  // namespace shingled::milter::daemon
