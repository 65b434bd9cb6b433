#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/backup/manifest.h"

namespace shingled::milter::backup {

/// How a part is copied.
enum class PartForm : std::uint8_t {
  kHashes,    ///< the database of the storage, checked row by row
  kDatabase,  ///< another SQLite file
  kCounters,  ///< the folder of the counters, as the lines of an export
  kFile,      ///< a file as it is
  kFolder,    ///< the files of a folder, packed in one
};

/// A part of a site that is on this machine, or would be.
struct SitePart {
  std::string name = {};  ///< "hashes", "policy.files.1"
  std::string kind = {};  ///< one of kKinds
  PartForm form = PartForm::kFile;
  std::string path = {};  ///< a file; of counters their folder
  std::string file = {};  ///< its name in a backup
  /// What it has is found by hashes under the key of the counters.
  bool under_key = false;
  /// The setting has several files, so the path alone says which one it is.
  bool is_one_of_many = false;

  friend bool operator==(const SitePart&, const SitePart&) = default;
};

/// What can be left out of a backup, or of what is put back.
inline constexpr std::string_view kKinds[] = {
    "hashes", "counters", "reports", "history", "similar", "buckets", "model", "settings", "keys"};
/// These kinds, each once.
/// Errors: kInvalid, with what is allowed.
Result<std::set<std::string>> parse_kinds(std::span<const std::string> names);
/// "hashes, counters, ...".
std::string kinds_text();

/// The names of parts that others ask for.
inline constexpr const char* kHashesPart = "hashes";
inline constexpr const char* kCountersPart = "counters";
inline constexpr const char* kSettingsPart = "settings";
inline constexpr const char* kKeyPart = "counters.key_file";

struct Site {
  std::vector<SitePart> parts = {};     ///< in the order in which they are copied
  std::vector<LeftOut> elsewhere = {};  ///< what is in Redis, or belongs to the machine

  [[nodiscard]] const SitePart* find(std::string_view name) const;
};

/// What a site with these settings has, and where. `settings_file`: empty = built-in defaults.
/// Files need not exist.
/// Threads: stateless.
/// Cost:    compiles the rules.
Site site_of(const Settings& settings, const std::string& settings_file);

}  // namespace shingled::milter::backup
