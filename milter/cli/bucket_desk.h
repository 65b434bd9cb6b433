#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/cli/console.h"
#include "milter/status/bucket_pages.h"

namespace shingled::milter {

/// Where a command finds the buckets of its settings: in Redis where they are shared, else with the
/// daemon that runs. Answers are those of BucketPages.
///
/// Errors: kNotFound (the bucket is empty), kUnavailable, kTimeout, kInvalid.
/// Threads: one thread. Waits.
class BucketDesk {
 public:
  /// Errors: kUnavailable (the settings have no way to the daemon).
  static Result<BucketDesk> open(const Settings& settings, Clock& clock, Random& random);

  Result<Json> list(const std::string& part, std::size_t most);
  Result<Json> show(const std::string& key);
  Result<Json> reset(const std::string& key);
  Result<Json> set(const std::string& key, double drops, const BucketRate& rate);

 private:
  BucketDesk(SocketSpec daemon, const Clock& clock) : daemon_(std::move(daemon)), clock_(&clock) {}
  Result<Json> ask(HttpRequest request);

  SocketSpec daemon_;
  const Clock* clock_;
  std::shared_ptr<Logger> logger_;               ///< of the store
  std::shared_ptr<storage::BucketStore> store_;  ///< null: ask the daemon
};

}  // namespace shingled::milter
