#pragma once

#include <vector>

#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/backup/site_parts.h"
#include "milter/process/process_control.h"
#include "storage/sqlite/base/owned_file.h"

namespace shingled::milter::backup {

/// The proof that no daemon runs on the files of a site, and none can start on them as long as this
/// lives: the locks of the daemon itself, on its number and on each database that is there.
/// Threads: one thread.
class StoppedSite {
 public:
  /// Makes no database.
  /// Errors: kUnavailable (a daemon runs: it is named, with what to do), kDenied.
  static Result<StoppedSite> hold(const Settings& settings, const Site& site);

 private:
  StoppedSite() = default;

  process::PidFile number_;
  std::vector<storage::sqlite::FileLock> locks_;
};

}  // namespace shingled::milter::backup
