#pragma once

#include <memory>
#include <string>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "storage/access/access.h"
#include "storage/access/list_reader.h"

namespace shingled::storage::access {

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
