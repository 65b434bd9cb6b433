#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/counter_options.h"
#include "config/options/settings.h"
#include "milter/backup/restore_plan.h"
#include "milter/backup/stored_backup.h"
#include "storage/model/work_watcher.h"

namespace shingled::milter::backup {

/// Reads the lines of an export into the counters of these options, whose folder is empty and whose
/// key is in `key_file`; returns how many lines that were. Nobody else has the folder.
using CounterImport =
    std::function<Result<std::uint64_t>(const std::string& file, const CounterOptions& into)>;

/// A part that is in its place again.
struct RestoredPart {
  std::string name = {};
  std::string path = {};
  std::uint64_t bytes = 0;  ///< in the backup
  std::string aside = {};   ///< what stood there is here now; empty = nothing stood there
  std::string note = {};
};

struct Restored {
  std::vector<RestoredPart> parts = {};
  std::vector<LeftOut> left_out = {};
  std::string owner = {};  ///< name of the user whose the files are
};

/// Where a restore keeps a journal while names change.
std::string journal_of(const Settings& settings);
/// What to do if a restore died there while names changed; "" if none did.
std::string unfinished_restore(const Settings& settings);

/// Puts a backup back, for a daemon that does not run. The caller has checked its sums.
///
/// Everything is first written beside its place; a full disk or another error leaves what stands as
/// it is. Then names change, all of them or none. If the process dies in that moment, the journal
/// stays: no daemon starts, and the next restore first takes back what this one did.
/// Errors:  kUnavailable (a daemon runs; the disk; stopped), those of plan_restore, kCorrupt (the
///          backup has changed meanwhile), those of `counters`.
/// Threads: one thread.
/// Cost:    needs the room of the backup beside what stands.
Result<Restored> restore(const StoredBackup& backup, const Settings& settings,
                         const RestoreOptions& options, const CounterImport& counters,
                         const Clock& clock, const storage::Watcher& watcher);

}  // namespace shingled::milter::backup
