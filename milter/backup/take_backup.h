#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/backup/manifest.h"
#include "storage/model/work_watcher.h"

namespace shingled::milter::backup {

struct BackupOptions {
  std::string folder = {};  ///< the backup: does not exist yet, or is empty
  /// The file of the settings; empty = there is none.
  std::string settings_file = {};
  bool with_keys = false;
  std::set<std::string> without = {};  ///< kinds (site_parts.h) that are left out
};

/// Writes the counters of this machine to a new file as the lines of an export; returns their
/// number. A daemon that has them may be asked.
using CounterExport = std::function<Result<std::uint64_t>(const std::string& file)>;

/// What was written.
struct TakenBackup {
  std::string folder = {};
  Manifest manifest = {};
  std::uint64_t warnings = 0;  ///< about hashes (storage/formats/verify.h): odd, but no damage
};

/// Copies what a site has into a new folder, while a daemon may run. All databases are held at one
/// moment and then copied, so what people reported fits the hashes; counters are as they are when
/// their turn comes. Each copy is checked, and its sum is in the manifest. What is damaged is not
/// backed up. The folder gets its name when all of it is on the disk.
///
/// Keys are taken only with `with_keys`; so are settings that have secrets in them.
/// Errors:  those of NewFolder; kNotFound, kDenied, kCorrupt (a part cannot be read), kUnavailable
///          (disk, stopped), those of `counters`. Then there is no folder.
/// Threads: one thread.
/// Cost:    reads each file twice, in constant memory. Until its database is copied, the WAL of a
///          running daemon grows.
Result<TakenBackup> take_backup(const Settings& settings, const BackupOptions& options,
                                const CounterExport& counters, const Clock& clock,
                                const storage::Watcher& watcher);

}  // namespace shingled::milter::backup
