#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/storage_options.h"
#include "config/watched_files.h"
#include "storage/access/access.h"

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

/// Makes the rights from the settings and the files that they name, and makes them again when one
/// of these changes. The levels of the rate limit buckets are kept.
/// Threads: one thread.
class AccessReloader {
 public:
  /// Errors: kInvalid (key pairs that are not valid), those of ListReader.
  static Result<std::unique_ptr<AccessReloader>> open(const ServerOptions& options, Random& random,
                                                      Logger& logger);

  [[nodiscard]] const std::shared_ptr<const Access>& access() const { return access_; }
  [[nodiscard]] const ServerOptions& options() const { return options_; }

  /// Applies new settings. On an error nothing changes.
  Status reload(const ServerOptions& options);
  /// Reads the files again if one has changed. Returns true if `access` was replaced. Errors go to
  /// the log. Should be called about once a second.
  bool refresh();

  /// Loads the buckets that `save_limits` has written, if the file exists and the limits are on. If
  /// the file cannot be read, this is logged and the buckets do not change.
  void restore_limits(const std::string& path, const Moment& now);
  /// Writes the buckets to the file, for `restore_limits`. Does nothing if the limits are off.
  void save_limits(const std::string& path, const Moment& now) const;

 private:
  AccessReloader(Random& random, Logger& logger);
  Status make(const ServerOptions& options);

  Logger& logger_;
  ListReader lists_;
  AccessState state_;
  ServerOptions options_;  // as given, without the entries of the files
  std::shared_ptr<const Access> access_;
};

}  // namespace shingled::storage::access
