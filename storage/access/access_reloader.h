#pragma once

#include <memory>
#include <string>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "storage/access/access.h"
#include "storage/access/list_reader.h"

namespace shingled::storage::access {

/// Makes the rights from the settings and the files they name, anew whenever one of them changes;
/// what the buckets of the rate limits hold goes on.
/// Threads: one thread.
class AccessReloader {
 public:
  /// Errors: kInvalid (key pairs that cannot work), those of ListReader.
  static Result<std::unique_ptr<AccessReloader>> open(const ServerOptions& options, Random& random,
                                                      Logger& logger);

  [[nodiscard]] const std::shared_ptr<const Access>& access() const { return access_; }
  [[nodiscard]] const ServerOptions& options() const { return options_; }

  /// Takes over other settings. On an error everything stays as it is.
  Status reload(const ServerOptions& options);
  /// Looks whether files changed; true if `access` is another one now. What is wrong goes to the
  /// log. Meant for every second or so.
  bool refresh();

  /// Goes on with the buckets that were saved, if there are any and the limits are on. What cannot
  /// be read goes to the log and counts for nothing.
  void restore_limits(const std::string& path, const Moment& now);
  /// Writes them where `restore_limits` finds them; nothing where the limits are off.
  void save_limits(const std::string& path, const Moment& now) const;

 private:
  AccessReloader(Random& random, Logger& logger);
  Status make(const ServerOptions& options);

  Logger& logger_;
  ListReader lists_;
  AccessState state_;
  ServerOptions options_;  // as given, without what is in files
  std::shared_ptr<const Access> access_;
};

}  // namespace shingled::storage::access
