#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/base/whole_file.h"
#include "config/options/storage_options.h"

namespace shingled::storage {

/// Reads the files that lists of the settings name, and again when they changed.
///
/// A file that was good and is no more (gone, broken, a key file that others may read) counts as it
/// was; the log says so once for each change.   Threads: one thread. Cost: a stat(2) for each file;
/// only what changed is read.
class ListReader {
 public:
  explicit ListReader(Logger& logger) : logger_(logger) {}

  /// The options with all that is in their files added to what they give themselves.
  /// Errors: the first file that was never good, named, with the line. kDenied: a key file that
  /// others than its owner may read.
  Result<ServerOptions> read(const ServerOptions& options);
  /// Whether a file that was read last time is another one by now.
  [[nodiscard]] bool changed() const;

 private:
  enum class Kind : std::uint8_t { kNetworks, kKeyIds, kDigests, kKeypairs };
  struct Content {
    FileStamp stamp;  // of the last try
    std::vector<Network> networks;
    std::vector<std::array<std::uint8_t, 64>> names;
    std::vector<Keypair> keypairs;
  };
  using Files = std::map<std::pair<Kind, std::string>, Content>;

  /// What is in one file now, from `files_` if it did not change.
  Result<Content> content_of(Kind kind, const std::string& path);
  static Result<Content> read_file(Kind kind, const std::string& path);
  /// Adds the part of each file to a list, and the file to `files`.
  template <typename Entry>
  Status add(Kind kind, const std::vector<std::string>& paths, std::vector<Entry> Content::*part,
             std::vector<Entry>& list, Files& files);

  Logger& logger_;
  Files files_;  // of the last call of `read`
};

}  // namespace shingled::storage
