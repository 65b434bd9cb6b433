#pragma once

#include <cstdint>
#include <string>

#include "config/base/logger.h"

namespace shingled {

/// Which of its logs the system's logger writes to (syslog(3)).
enum class SyslogFacility : std::uint8_t {
  kNone,
  kMail,
  kDaemon,
  kUser,
  kLocal0,
  kLocal1,
  kLocal2,
  kLocal3,
  kLocal4,
  kLocal5,
  kLocal6,
  kLocal7
};

/// How a line of the log is written.
enum class LogFormat : std::uint8_t {
  kLogfmt,  ///< event key=value ...
  kJson     ///< an object
};

/// Section `daemon`: the process.
struct DaemonOptions {
  /// The user to become once the sockets are open; empty = do not change.
  std::string user;
  std::string group;     ///< the group to become; empty = the user's
  std::string pid_file;  ///< absolute path; empty = none
  /// Absolute path, opened again at SIGUSR1; empty = standard error (the journal under systemd).
  std::string log_file;
  /// Lines go to syslog instead; not with log_file.
  SyslogFacility syslog = SyslogFacility::kNone;
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kLogfmt;

  friend bool operator==(const DaemonOptions&, const DaemonOptions&) = default;
};

}  // namespace shingled
