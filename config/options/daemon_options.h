#pragma once

#include <cstdint>
#include <string>

#include "config/base/logger.h"

namespace shingled {

/// The process.
struct DaemonOptions {
  std::string user;      ///< to become after the sockets are open; empty = stay
  std::string group;     ///< empty = the user's
  std::string pid_file;  ///< empty = none
  std::string
      log_file;  ///< empty = standard error (the journal under systemd); reopened at SIGUSR1
  LogLevel log_level = LogLevel::kInfo;

  friend bool operator==(const DaemonOptions&, const DaemonOptions&) = default;
};

}  // namespace shingled
