#pragma once

#include <map>
#include <memory>
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

  /// The options with all that is in their files added to what they give themselves. To be followed
  /// by `accept` when they work together: a file that breaks later counts as it was then.
  /// Errors: the first file that was never good, named, with the line. kDenied: a key file that
  /// others than its owner may read.
  Result<ServerOptions> read(const ServerOptions& options);
  void accept() { accepted_ = read_; }
  /// Whether a file that was read last time is another one by now.
  [[nodiscard]] bool changed() const;

 private:
  enum class Kind : std::uint8_t { kNetworks, kKeyIds, kDigests, kKeypairs };
  struct Content {
    std::vector<Network> networks;
    std::vector<std::array<std::uint8_t, 64>> names;
    std::vector<Keypair> keypairs;
  };
  struct File {
    FileStamp stamp;  // of the last try
    std::shared_ptr<const Content> content;
  };
  using Files = std::map<std::pair<Kind, std::string>, File>;

  /// A file as it is now, without reading it again if it did not change.
  Result<File> file_of(Kind kind, const std::string& path);
  static Result<File> read_file(Kind kind, const std::string& path);
  /// Adds the part of each file to a list, and the file to `files`.
  template <typename Entry>
  Status add(Kind kind, const std::vector<std::string>& paths, std::vector<Entry> Content::*part,
             std::vector<Entry>& list, Files& files);

  Logger& logger_;
  Files read_;  // by the last call of `read`
  Files accepted_;
};

}  // namespace shingled::storage
