#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/metrics/metric_report.h"
#include "milter/api/system/overview_advice.h"
#include "milter/view/json.h"

namespace shingled::milter::api {

/// A line of the log that a person should see.
struct LoggedWarning {
  WallTime time{};  ///< of the last of equal ones
  bool is_error = false;
  std::string line;
  std::uint64_t times = 1;
};

/// A disk with files of the daemon.
struct DiskRoom {
  std::string path;  ///< a folder with such files
  std::uint64_t free_bytes = 0;
  std::uint64_t bytes = 0;
};

/// A file of the daemon.
struct FileSize {
  std::string name;  ///< the key of the settings that names it
  std::string path;
  std::uint64_t bytes = 0;
};

/// All that the page about the system shows.
struct SystemFacts {
  const SiteFacts& site;
  std::string state = {};  ///< of the daemon
  double uptime = 0;       ///< seconds
  std::vector<FileSize> files = {};
  std::vector<DiskRoom> disks = {};
  std::vector<std::pair<std::string, std::string>> versions = {};  ///< name, version
  std::vector<LoggedWarning> warnings = {};                        ///< the newest first
};

/// [{"name", "title", "facts": [{"name", "title", "value", "text", "state"}]}] (API.md, "System").
/// Groups that this daemon does not have are left out.
/// Threads: stateless.
Json system_groups(const SystemFacts& facts);

}  // namespace shingled::milter::api
