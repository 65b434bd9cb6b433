#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/options/storage_options.h"
#include "config/watched_files.h"

namespace shingled::storage::access {

/// A list file that could never be read.
struct ListFault {
  std::string option;  ///< the option that names the file, such as "storage.allow_update"
  Error error;         ///< with the path
};

/// Reads the list files that the settings name, and reads a file again when it has changed
/// (config/watched_files.h).
/// Threads: one thread.
class ListReader {
 public:
  explicit ListReader(Logger& logger) : files_(parse, logger) {}

  /// Returns the options with the entries of their files added to their own entries. Call `accept`
  /// when the result can be used as a whole: if a file has an error later, its accepted content is
  /// used again.
  /// Errors: those of the first file that could never be read, with option, file and line. kDenied:
  /// users other than the owner may use a key file.
  Result<ServerOptions> read(const ServerOptions& options);
  /// All files that `read` could not use, of the last call.
  [[nodiscard]] const std::vector<ListFault>& faults() const { return faults_; }
  void accept() { files_.accept(); }
  /// Whether a file has changed since it was read.
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
  /// Appends one part of the content of each file to `list`.
  template <typename Entry>
  void add(Kind kind, std::string_view option, const std::vector<std::string>& paths,
           std::vector<Entry> Content::*part, std::vector<Entry>& list);

  Files files_;
  std::vector<ListFault> faults_;
};

}  // namespace shingled::storage::access
