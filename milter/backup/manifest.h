#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "milter/view/json.h"

namespace shingled::milter::backup {

/// The file of a backup that says what the others are.
inline constexpr const char* kManifestName = "manifest.json";

/// A part of a backup: one file in its folder.
struct StoredPart {
  std::string name = {};  ///< "hashes", "counters", "policy.files.1": that of the part of the site
  std::string kind = {};  ///< as --without takes it: "hashes", "settings", "keys"
  std::string file = {};  ///< its name in the folder
  std::string path = {};  ///< where it was, on the machine of the backup
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> count =
      {};                   ///< of what it has, where that is known: hashes, numbers
  std::string sha256 = {};  ///< 64 hexadecimal digits
  unsigned mode = 0600;     ///< permission bits that it had there

  friend bool operator==(const StoredPart&, const StoredPart&) = default;
};

/// Something that a site has and a backup does not.
struct LeftOut {
  std::string what = {};
  std::string why = {};  ///< and what to do instead

  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

struct Manifest {
  static constexpr std::uint64_t kVersion = 1;  ///< of the format
  static constexpr std::size_t kBytesMax = 1UL << 20U;
  static constexpr std::size_t kPartsMax = 1000;

  std::string program = {};  ///< version of shingled
  WallTime time{};
  std::string host = {};
  bool with_keys = false;
  /// Of the key of the counters (storage/counters/counter_key.h); nullopt = there was none.
  std::optional<std::uint64_t> key_mark = {};
  std::vector<StoredPart> parts = {};
  std::vector<LeftOut> left_out = {};

  [[nodiscard]] const StoredPart* find(std::string_view name) const;
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// As JSON: its own file, and what `backup --json` shows.
/// Threads: stateless.
Json manifest_json(const Manifest& manifest);

/// The text of its file, for people as well.
std::string manifest_text(const Manifest& manifest);

/// Reads such a text. Names of files are in one folder: they have no '/' and do not begin with '.'.
/// Errors:  kCorrupt (no manifest, or a part of it is wrong), kInvalid (of a newer version).
/// Threads: stateless.
Result<Manifest> parse_manifest(std::string_view text);

}  // namespace shingled::milter::backup
