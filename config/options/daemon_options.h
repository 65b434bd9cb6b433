#pragma once

#include <cstdint>
#include <string>

#include "config/base/logger.h"

namespace shingled {

/// Section `daemon`: the process.
struct DaemonOptions {
  /// The user to become once the sockets are open; empty = do not change.
  std::string user;
  std::string group;     ///< the group to become; empty = the user's
  std::string pid_file;  ///< absolute path; empty = none
  /// Absolute path, opened again at SIGUSR1; empty = standard error (the journal under systemd).
  std::string log_file;
  LogLevel log_level = LogLevel::kInfo;

  friend bool operator==(const DaemonOptions&, const DaemonOptions&) = default;
};

}  // namespace shingled
