#include "milter/backup/restore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "config/base/random.h"
#include "config/system/os_error.h"
#include "milter/backup/file_copy.h"
#include "milter/backup/packed_folder.h"
#include "milter/backup/renames.h"
#include "milter/backup/stopped_site.h"
#include "storage/counters/counter_key.h"

namespace shingled::milter::backup {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kModeBits = 0777;
constexpr mode_t kOwnMode = 0700;
constexpr mode_t kDataFolderMode = 0750;
constexpr mode_t kSettingsFolderMode = 0755;

class RestoreRun {
 public:
  RestoreRun(const StoredBackup& backup, const Settings& settings, const RestorePlan& plan,
             const CounterImport& counters, const storage::Watcher& watcher)
      : backup_(backup),
        settings_(settings),
        plan_(plan),
        counters_(counters),
        watcher_(watcher),
        progress_(watcher_, "copying", total_of(plan)),
        journal_{.part = {.kind = "hashes"}, .path = journal_of(settings)} {}

  /// What was not placed goes.
  ~RestoreRun() {
    std::error_code failure;
    for (const std::string& path : staged_) fs::remove_all(path, failure);
    if (placed_) return;
    for (auto folder = made_folders_.rbegin(); folder != made_folders_.rend(); ++folder)
      fs::remove(*folder, failure);
  }
  RestoreRun(const RestoreRun&) = delete;
  RestoreRun& operator=(const RestoreRun&) = delete;

  Status stage() {
    if (Status made = make_folder_of(journal_); !made) return made;
    // A folder that has data is the daemon's, whatever else goes there.
    for (const bool data : {true, false}) {
      for (const Target& target : plan_.targets) {
        if (is_data(target) != data) continue;
        if (Status made = make_folder_of(target); !made) return made;
      }
    }
    const Target* counters = plan_.find(kCountersPart);
    if (counters != nullptr) {
      if (Status made = begin_counters(*counters); !made) return made;
    }
    // The key comes first.
    for (const Target& target : plan_.targets) {
      Status staged = &target == counters                     ? stage_counters(target)
                      : target.part.form == PartForm::kFolder ? stage_folder(target)
                                                              : stage_file(target);
      if (!staged) return staged;
    }
    return counters != nullptr ? give_folder(*counters) : Status();
  }

  Status place() {
    Renames renames(journal_.path);
    for (const Target& target : plan_.targets) {
      if (target.is_inside) continue;
      move_aside(target, renames);
      renames.add(target.staged, target.path);
    }
    if (Status made = renames.make(); !made) return made;
    if (Status kept = renames.keep(); !kept) return kept;
    placed_ = true;
    return {};
  }

  /// What was done. Called once.
  Restored finish() {
    Restored out{.left_out = plan_.left_out, .owner = process::user_name(plan_.owner.user)};
    for (const Target& target : plan_.targets) {
      RestoredPart part{target.part.name, target.path, target.stored.bytes, target.aside,
                        target.note};
      // A folder that had nothing but the key that it has now.
      if (target.part.form == PartForm::kCounters && !target.aside.empty() && drop_empty(target))
        part.aside.clear();
      std::error_code failure;
      if (target.part.form == PartForm::kFolder && fs::remove(target.aside, failure))
        part.aside.clear();  // it was empty
      out.parts.push_back(std::move(part));
    }
    return out;
  }

 private:
  static std::uint64_t total_of(const RestorePlan& plan) {
    std::uint64_t total = 0;
    for (const Target& target : plan.targets)
      if (target.part.form != PartForm::kCounters) total += target.stored.bytes;
    return total;
  }

  static bool is_data(const Target& target) {
    return target.part.kind != "settings" && target.part.kind != "keys";
  }

  /// Makes the folder of a file and those above it. Of those of data the daemon is the owner.
  Status make_folder_of(const Target& target) {
    if (target.is_inside) return {};
    std::vector<fs::path> missing;
    std::error_code failure;
    for (fs::path folder = fs::path(target.path).parent_path();
         !folder.empty() && !fs::exists(folder, failure); folder = folder.parent_path()) {
      if (failure) return os_write_error(failure.value(), folder.string());
      missing.push_back(folder);
    }
    const bool is_counters = fs::path(target.path).parent_path() ==
                             fs::path(plain_path(settings_.counters.embedded.directory));
    for (auto folder = missing.rbegin(); folder != missing.rend(); ++folder) {
      if (::mkdir(folder->c_str(), kOwnMode) != 0) return os_write_error(errno, folder->string());
      made_folders_.push_back(*folder);
      const bool is_own = is_counters && *folder == missing.front();
      const mode_t mode =
          is_own ? kOwnMode : (is_data(target) ? kDataFolderMode : kSettingsFolderMode);
      const bool is_daemons = is_data(target) || is_own;
      Status given = give_to(folder->string(), is_daemons ? plan_.owner.user : ::geteuid(),
                             is_daemons ? plan_.owner.group : ::getegid(), mode);
      if (!given) return given;
    }
    return {};
  }

  /// Removes what an earlier restore left when its process died.
  Status clear_staged(const std::string& path) {
    std::error_code failure;
    fs::remove_all(path, failure);
    if (failure) return os_write_error(failure.value(), path);
    staged_.push_back(path);
    return {};
  }

  Status stage_file(const Target& target) {
    if (!target.is_inside) {
      if (Status cleared = clear_staged(target.staged); !cleared) return cleared;
    }
    const std::string from = backup_.path_of(target.stored);
    const auto copied = copy_file(from, target.staged, progress_);
    if (!copied) return copied.error();
    if (*copied != FileSum{target.stored.bytes, target.stored.sha256})
      return Error{ErrorCode::kCorrupt, from + ": has changed since it was checked"};
    if (target.part.name == kKeyPart) {
      if (Status right = check_key(target.staged); !right) return right;
    }
    return give_to(target.staged, target.owner, target.group, target.mode);
  }

  /// Whether the key is the one that the backup was counted with.
  [[nodiscard]] Status check_key(const std::string& path) const {
    SystemRandom random;
    const auto key = storage::counters::read_or_make_key(path, random);
    if (!key) return key.error();
    const std::uint64_t mark = storage::counters::key_mark(*key);
    const auto expected = backup_.manifest().key_mark;
    if (!expected || *expected == mark) return {};
    return Error{ErrorCode::kCorrupt,
                 storage::counters::other_key_error(backup_.folder(), *expected, mark)};
  }

  /// The new folder of the counters.
  Status begin_counters(const Target& target) {
    if (Status cleared = clear_staged(target.staged); !cleared) return cleared;
    if (::mkdir(target.staged.c_str(), kOwnMode) != 0) return os_write_error(errno, target.staged);
    if (!plan_.keeps_key) return {};
    const std::string name = fs::path(plan_.key).filename().string();
    const auto copied = copy_file(plan_.key, target.staged + '/' + name, progress_);
    return copied ? Status() : Status(copied.error());
  }

  Status stage_folder(const Target& target) {
    if (Status cleared = clear_staged(target.staged); !cleared) return cleared;
    if (::mkdir(target.staged.c_str(), kOwnMode) != 0) return os_write_error(errno, target.staged);
    const auto put = unpack_folder(backup_.path_of(target.stored), target.staged, progress_);
    return put ? give_folder(target) : Status(put.error());
  }

  Status stage_counters(const Target& target) {
    CounterOptions into = settings_.counters;
    into.enabled = true;
    into.shared = {};
    into.names = false;
    into.embedded.directory = target.staged;
    if (!plan_.key.empty()) into.key_file = plan_.key;
    const auto imported = counters_(backup_.path_of(target.stored), into);
    return imported ? Status() : Status(imported.error());
  }

  /// Everything in the folder belongs to the daemon and is on the disk.
  Status give_folder(const Target& target) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(target.staged, failure)) {
      struct stat info {};
      const std::string path = entry.path().string();
      if (::lstat(path.c_str(), &info) != 0) return os_error(errno, path);
      Status given = give_to(path, target.owner, target.group, info.st_mode & kModeBits);
      if (!given) return given;
    }
    if (failure) return os_error(failure.value(), target.staged);
    return give_to(target.staged, target.owner, target.group, target.mode);
  }

  /// A database goes with the files that SQLite keeps beside it: it would read a WAL that was left
  /// there into the new one.
  void move_aside(const Target& target, Renames& renames) const {
    if (!target.aside.empty()) renames.add(target.path, target.aside);
    const PartForm form = target.part.form;
    if (form != PartForm::kHashes && form != PartForm::kDatabase) return;
    for (const char* ending : {"-wal", "-shm", "-journal"})
      renames.add_if_there(target.path + ending, target.path + plan_.aside_ending + ending);
  }

  /// Removes the old folder of the counters if it had no more than the key that stands again.
  [[nodiscard]] bool drop_empty(const Target& target) const {
    const fs::path name = fs::path(settings_.counters.key_path()).filename();
    const std::string old_key = (fs::path(target.aside) / name).string();
    if (has_counter_data(target.aside, old_key)) return false;
    const storage::Watcher nobody = [](const storage::WorkDone&) { return true; };
    ByteProgress progress(nobody, "comparing", 0);
    const auto before = sum_of(old_key, progress);
    const auto now = sum_of((fs::path(target.path) / name).string(), progress);
    const bool had_none = !before && before.error().code == ErrorCode::kNotFound;
    if (!had_none && (!before || !now || *before != *now)) return false;
    std::error_code failure;
    fs::remove_all(target.aside, failure);
    return !failure;
  }

  const StoredBackup& backup_;
  const Settings& settings_;
  const RestorePlan& plan_;
  const CounterImport& counters_;
  const storage::Watcher& watcher_;
  ByteProgress progress_;
  const Target journal_;  ///< of the renames
  std::vector<std::string> staged_;
  std::vector<fs::path> made_folders_;
  bool placed_ = false;
};

}  // namespace

std::string journal_of(const Settings& settings) {
  const fs::path hashes = plain_path(settings.storage.engine.hashfile);
  return (hashes.parent_path() / Renames::kJournalName).string();
}

std::string unfinished_restore(const Settings& settings) {
  const std::string journal = journal_of(settings);
  if (::access(journal.c_str(), F_OK) != 0) return "";
  return journal +
         ": a restore ended in the middle, so files of two times lie here; run `shingled restore` "
         "again, which first takes back what it did";
}

Result<Restored> restore(const StoredBackup& backup, const Settings& settings,
                         const RestoreOptions& options, const CounterImport& counters,
                         const Clock& clock, const storage::Watcher& watcher) {
  const Site site = site_of(settings, options.settings_file);
  const auto stopped = StoppedSite::hold(settings, site);
  if (!stopped) return stopped.error();
  if (Status whole = Renames::take_back(journal_of(settings)); !whole) return whole.error();
  const auto plan = plan_restore(backup, settings, site, options, clock);
  if (!plan) return plan.error();
  RestoreRun run(backup, settings, *plan, counters, watcher);
  if (Status staged = run.stage(); !staged) return staged.error();
  if (Status placed = run.place(); !placed) return placed.error();
  return run.finish();
}

}  // namespace shingled::milter::backup
