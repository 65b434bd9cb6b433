#include "milter/backup/restore_plan.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "config/base/random.h"
#include "config/system/os_error.h"
#include "milter/backup/file_copy.h"
#include "storage/counters/counter_key.h"
#include "storage/sqlite/base/owned_file.h"

namespace shingled::milter::backup {

namespace {

namespace fs = std::filesystem;

constexpr const char* kStagedEnding = ".restoring";
constexpr const char* kBesideEnding = ".restored";
constexpr mode_t kKeyMode = 0600;
constexpr mode_t kOwnFolderMode = 0700;
constexpr mode_t kSharedBits = 0644;   ///< that a file of settings may have
constexpr mode_t kGuardedBits = 0640;  ///< that a file of keys may have
constexpr mode_t kGroupReads = 0040;

bool has_content(const std::string& path, const StoredPart& stored) {
  const storage::Watcher nobody = [](const storage::WorkDone&) { return true; };
  ByteProgress progress(nobody, "comparing", 0);
  const auto sum = sum_of(path, progress);
  return sum && *sum == FileSum{stored.bytes, stored.sha256};
}

/// Whose the files are to be.
Result<process::Identity> owner_of_site(const Settings& settings, const RestoreOptions& options) {
  process::Identity out;
  if (options.owner) {
    out = *options.owner;
  } else if (!settings.daemon.user.empty()) {
    const auto daemon = process::daemon_identity(settings.daemon);
    if (!daemon) return daemon.error();
    out = *daemon;
  } else if (const auto owner = process::owner_of_files(settings)) {
    out = *owner;
  } else if (const std::string folder = folder_of(settings.storage.engine.hashfile);
             ::geteuid() == 0 && !is_there(folder)) {
    return Error{ErrorCode::kNotFound,
                 folder +
                     ": does not exist, so nobody knows whose the files are; allowed: --user "
                     "NAME with the user that the daemon runs as, or make the folder for it"};
  }
  if (::geteuid() != 0 && out.user != ::geteuid()) {
    const std::string name = process::user_name(out.user);
    return Error{ErrorCode::kDenied, "the files are to belong to " + name + ", and this runs as " +
                                         process::user_name(::geteuid()) +
                                         "; run it as root, or as " + name};
  }
  return out;
}

class Planner {
 public:
  Planner(const StoredBackup& backup, const Settings& settings, const Site& site,
          const RestoreOptions& options, const Clock& clock)
      : backup_(backup),
        settings_(settings),
        site_(site),
        options_(options),
        aside_(fmt::format(".before-{:%Y%m%dT%H%M%SZ}",
                           fmt::gmtime(clock.wall().time_since_epoch().count()))),
        settings_stand_(!options.settings_file.empty() && is_there(options.settings_file)) {}

  Result<RestorePlan> plan() {
    auto owner = owner_of_site(settings_, options_);
    if (!owner) return owner.error();
    out_.owner = *owner;
    // Staged first: counters are imported with the key.
    for (const bool keys : {true, false}) {
      for (const StoredPart& stored : backup_.manifest().parts) {
        if ((stored.kind == "keys") != keys) continue;
        if (Status added = add(stored); !added) return added.error();
      }
    }
    put_into_counters();
    if (Status right = check_key(); !right) return right.error();
    if (Status free = check_way(); !free) return free.error();
    for (Target& target : out_.targets) set_rights(target);
    return std::move(out_);
  }

 private:
  void leave_out(const StoredPart& stored, const std::string& why) {
    out_.left_out.push_back({stored.name, why});
  }

  Status add(const StoredPart& stored) {
    if (options_.without.contains(stored.kind)) return leave_out(stored, "as told"), Status();
    const auto part = part_here(stored);
    if (!part) return leave_out(stored, why_nowhere(stored)), Status();
    if (part->kind != stored.kind)
      return Error{ErrorCode::kCorrupt, backup_.path_of(stored) + ": is of another kind"};
    Target target{.stored = stored, .part = *part, .path = part->path};
    if (part->form == PartForm::kFile && is_there(target.path)) {
      if (has_content(target.path, stored))
        return leave_out(stored, target.path + " is the same already"), Status();
      // What the daemon here works with is for a person to compare.
      if (stored.name == kSettingsPart) {
        target.path += kBesideEnding;
        target.note = "beside the settings that stand";
      }
    }
    target.staged = target.path + kStagedEnding;
    out_.targets.push_back(std::move(target));
    return {};
  }

  /// The part of the site here that a part of the backup was there.
  [[nodiscard]] std::optional<SitePart> part_here(const StoredPart& stored) const {
    if (const SitePart* same = site_.find(stored.name); same != nullptr && !same->is_one_of_many)
      return *same;
    const auto same_path = std::ranges::find_if(site_.parts, [&](const SitePart& part) {
      return part.is_one_of_many && part.path == stored.path;
    });
    if (same_path != site_.parts.end()) return *same_path;
    // The settings come from this backup, too, so they name it.
    const bool is_named = stored.kind == "settings" || stored.kind == "keys";
    const fs::path path = stored.path;
    if (settings_stand_ || backup_.manifest().find(kSettingsPart) == nullptr || !is_named ||
        options_.without.contains("settings") || !path.is_absolute() ||
        path.lexically_normal() != path)
      return std::nullopt;
    return SitePart{stored.name, stored.kind, PartForm::kFile, stored.path, stored.file};
  }

  [[nodiscard]] std::string why_nowhere(const StoredPart& stored) const {
    const std::string file = backup_.path_of(stored);
    if (stored.name == kHashesPart)
      return "storage.backend here is another one; use shingled import with " + file;
    if (stored.name == kCountersPart)
      return "counters are shared in Redis here; use shingled counters import " + file;
    if (stored.kind == "settings" || stored.kind == "keys")
      return "no setting here names " + stored.path + "; it is " + file;
    if (stored.kind == "model") return "model.file is empty here";
    return "is in Redis here";
  }

  Target* find(std::string_view name) {
    const auto found = std::ranges::find_if(
        out_.targets, [&](const Target& one) { return one.part.name == name; });
    return found == out_.targets.end() ? nullptr : &*found;
  }

  /// What lies in the folder of the counters goes there with them.
  void put_into_counters() {
    const Target* counters = find(kCountersPart);
    if (counters == nullptr) return;
    const std::string folder = counters->path;
    const std::string staged = counters->staged;
    for (Target& target : out_.targets) {
      if (fs::path(target.path).parent_path() != fs::path(folder)) continue;
      target.is_inside = true;
      target.staged = staged + '/' + fs::path(target.path).filename().string();
    }
    // The folder is placed before what needs it.
    std::stable_partition(out_.targets.begin(), out_.targets.end(), [](const Target& one) {
      return one.part.kind == "keys" || one.part.form == PartForm::kCounters;
    });
  }

  /// What is under a key needs the key.
  Status check_key() {
    const bool needs_key =
        std::ranges::any_of(out_.targets, [](const Target& one) { return one.part.under_key; });
    if (!needs_key) return {};
    if (const Target* key = find(kKeyPart)) {
      out_.key = key->staged;
      return {};
    }
    const std::string path = plain_path(settings_.counters.key_path());
    const auto mark = backup_.manifest().key_mark;
    // Left out as the same already, or not in the backup.
    if (!is_there(path)) {
      if (!mark) return {};  // there was none either: nothing was counted
      return Error{ErrorCode::kNotFound, no_key_text(path)};
    }
    SystemRandom random;
    const auto ours = storage::counters::read_or_make_key(path, random);
    if (!ours) return ours.error();
    const std::uint64_t our_mark = storage::counters::key_mark(*ours);
    if (mark && *mark != our_mark) {
      return Error{ErrorCode::kInvalid,
                   storage::counters::other_key_error(backup_.folder(), *mark, our_mark) +
                       ": put it into " + path +
                       ", take a backup --with-keys, or leave out what is under the key: --without "
                       "counters --without reports"};
    }
    out_.key = path;
    const Target* counters = find(kCountersPart);
    out_.keeps_key =
        counters != nullptr && fs::path(path).parent_path() == fs::path(counters->path);
    return {};
  }

  [[nodiscard]] std::string no_key_text(const std::string& path) const {
    return path +
           ": there is no key of the counters, and the backup has none; nothing that was "
           "counted or reported can be found without it; allowed: put the key of " +
           backup_.manifest().host +
           " there (mode 0600), take a backup --with-keys, or leave out "
           "what is under the key: --without counters --without reports";
  }

  /// Another one than that of a restore in the same second.
  void choose_ending() {
    const std::string base = aside_;
    const auto is_taken = [&](const Target& one) { return is_there(one.path + aside_); };
    for (int n = 2; std::ranges::any_of(out_.targets, is_taken); ++n)
      aside_ = base + '-' + std::to_string(n);
    out_.aside_ending = aside_;
  }

  /// Finds what stands where something goes.
  Status check_way() {
    choose_ending();
    std::vector<std::string> in_the_way;
    for (Target& target : out_.targets) {
      if (target.is_inside || !is_there(target.path)) continue;
      target.aside = target.path + aside_;
      if (has_data(target)) in_the_way.push_back(target.path);
    }
    if (in_the_way.empty() || options_.force) return {};
    std::string names;
    for (const std::string& name : in_the_way) names += (names.empty() ? "" : ", ") + name;
    return Error{ErrorCode::kInvalid, names + (in_the_way.size() == 1 ? ": exists" : ": exist") +
                                          "; --force moves it aside, to a name that ends in " +
                                          aside_};
  }

  /// Whether what stands there is more than an empty folder.
  [[nodiscard]] bool has_data(const Target& target) const {
    std::error_code failure;
    if (target.part.form == PartForm::kFolder) return !fs::is_empty(target.path, failure);
    return target.part.form != PartForm::kCounters ||
           has_counter_data(target.path, plain_path(settings_.counters.key_path())) ||
           replaces_key();
  }

  /// Whether the folder of the counters has another key than the one that comes.
  [[nodiscard]] bool replaces_key() const {
    return std::ranges::any_of(out_.targets, [](const Target& one) {
      return one.is_inside && one.part.name == kKeyPart && is_there(one.path);
    });
  }

  void set_rights(Target& target) const {
    target.owner = out_.owner.user;
    target.group = out_.owner.group;
    if (target.part.name == kKeyPart) {
      target.mode = kKeyMode;
    } else if (target.part.form == PartForm::kCounters || target.part.form == PartForm::kFolder) {
      target.mode = kOwnFolderMode;
    } else if (target.part.form != PartForm::kFile || target.part.kind == "history" ||
               target.part.kind == "model") {
      target.mode = storage::sqlite::kFileMode;
    } else {
      const mode_t allowed = target.part.kind == "keys" ? kGuardedBits : kSharedBits;
      target.mode = (target.stored.mode & allowed) | S_IRUSR | S_IWUSR;
      const std::string folder = folder_of(target.path);
      struct stat info {};
      // As a package does it: root changes the settings, and the daemon's group reads them.
      const bool is_roots =
          ::stat(folder.c_str(), &info) == 0
              ? info.st_uid == 0
              : folder != folder_of(plain_path(settings_.storage.engine.hashfile));
      if (is_roots && (target.mode & kGroupReads) != 0) target.owner = 0;
    }
  }

  const StoredBackup& backup_;
  const Settings& settings_;
  const Site& site_;
  const RestoreOptions& options_;
  std::string aside_;
  const bool settings_stand_;
  RestorePlan out_;
};

}  // namespace

const Target* RestorePlan::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(targets, [&](const Target& one) { return one.part.name == name; });
  return found == targets.end() ? nullptr : &*found;
}

Result<RestorePlan> plan_restore(const StoredBackup& backup, const Settings& settings,
                                 const Site& site, const RestoreOptions& options,
                                 const Clock& clock) {
  return Planner(backup, settings, site, options, clock).plan();
}

bool has_counter_data(const std::string& folder, const std::string& key) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path() != fs::path(key) && entry.path().extension() != ".lock") return true;
  }
  // What cannot be read may be anything.
  return static_cast<bool>(failure);
}

}  // namespace shingled::milter::backup
