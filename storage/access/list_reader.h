#pragma once

#include <array>
#include <string>
#include <vector>

#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/options/storage_options.h"
#include "config/watched_files.h"

namespace shingled::storage::access {

/// A list file that was never good.
struct ListFault {
  std::string option;  ///< that names it: "storage.allow_update"
  Error error;         ///< with the path
};

/// Reads the files that lists of the settings name, and again when they changed
/// (config/watched_files.h).
/// Threads: one thread.
class ListReader {
 public:
  explicit ListReader(Logger& logger) : files_(parse, logger) {}

  /// The options with all that is in their files added to what they give themselves. To be followed
  /// by `accept` when they work together: a file that breaks later counts as it was then.
  /// Errors: the first file that was never good, with its option, named, with the line. kDenied: a
  /// key file that others than its owner may read.
  Result<ServerOptions> read(const ServerOptions& options);
  /// All those of the last reading.
  [[nodiscard]] const std::vector<ListFault>& faults() const { return faults_; }
  void accept() { files_.accept(); }
  /// Whether a file that was read last time is another one by now.
  [[nodiscard]] bool changed() const { return files_.changed(); }

 private:
  enum class Kind : std::uint8_t { kNetworks, kKeyIds, kDigests, kKeypairs };
  struct Content {
    std::vector<Network> networks;
    std::vector<std::array<std::uint8_t, 64>> names;
    std::vector<Keypair> keypairs;
  };
  using Files = config::WatchedFiles<Kind, Content>;

  static Result<Files::Parsed> parse(Kind kind, const std::string& path);
  /// Adds the part of each file to a list.
  template <typename Entry>
  void add(Kind kind, std::string_view option, const std::vector<std::string>& paths,
           std::vector<Entry> Content::*part, std::vector<Entry>& list);

  Files files_;
  std::vector<ListFault> faults_;
};

}  // namespace shingled::storage::access
