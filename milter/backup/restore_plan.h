#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/backup/site_parts.h"
#include "milter/backup/stored_backup.h"
#include "milter/process/privileges.h"

namespace shingled::milter::backup {

struct RestoreOptions {
  /// The file of the settings, which stands there or is put there; empty = none.
  std::string settings_file = {};
  bool force = false;                  ///< what is in the way is moved aside
  std::set<std::string> without = {};  ///< kinds (site_parts.h) that are not put back
  /// Whose the files are to be; nullopt = the user of the daemon, as the settings or the folder of
  /// the hashes say.
  std::optional<process::Identity> owner = {};
};

/// Where a part of a backup goes.
struct Target {
  StoredPart stored = {};
  SitePart part = {};
  std::string path = {};  ///< where it goes
  /// Where it is written first: in the same folder, so that a rename places it.
  std::string staged = {};
  std::string aside = {};  ///< where what stands there goes; empty = nothing stands there
  std::string note = {};   ///< for people
  bool is_inside = false;  ///< in the folder of the counters, which is placed as a whole
  uid_t owner = 0;
  gid_t group = 0;
  mode_t mode = 0600;
};

/// What a restore will do.
struct RestorePlan {
  std::vector<Target> targets = {};  ///< in the order in which they are placed
  std::vector<LeftOut> left_out = {};
  process::Identity owner = {};
  /// The key with which counters are put back: that of the backup where it has one (staged), else
  /// the one that stands here. Empty: nothing is under a key.
  std::string key = {};
  /// The end of the names of what is moved aside.
  std::string aside_ending = {};
  /// The key that stands here goes into the new folder of the counters.
  bool keeps_key = false;

  [[nodiscard]] const Target* find(std::string_view name) const;
};

/// Decides where each part of a backup is put on this machine, and whether that is allowed. Changes
/// nothing.
///
/// Parts go where the settings here say, not where they were. Only where no settings stand yet, the
/// files that they name go to their old places.
/// Errors:  kInvalid (files are in the way, named; the counters here, or the key that stands here,
///          are another one's), kNotFound (a key is missing, or nobody knows whose the files are),
///          kDenied (we may not give files away); each with what to do.
/// Threads: stateless.
Result<RestorePlan> plan_restore(const StoredBackup& backup, const Settings& settings,
                                 const Site& site, const RestoreOptions& options,
                                 const Clock& clock);

/// Whether a folder of counters has more than a key.
bool has_counter_data(const std::string& folder, const std::string& key);

}  // namespace shingled::milter::backup
