#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/ratelimit_options.h"
#include "config/options/settings.h"
#include "milter/http/http_call.h"
#include "milter/view/json.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::milter::desk {

/// Reads and changes the buckets of the settings: in Redis if they are shared, else through the
/// running daemon, else in the file that the daemon left. Answers are those of BucketResource.
///
/// Errors: kNotFound (the bucket is empty), kUnavailable, kTimeout, kInvalid; those of the file,
/// which a running daemon locks.
/// Threads: one thread. Waits for the daemon or Redis.
class BucketClient {
 public:
  /// `settings` and the others must outlive it.
  BucketClient(const Settings& settings, Clock& clock, Random& random)
      : settings_(settings), clock_(clock), random_(random) {}

  Result<Json> list(const std::string& part, std::size_t most);
  Result<Json> show(const std::string& key);
  Result<Json> reset(const std::string& key);
  Result<Json> set(const std::string& key, double drops, const BucketRate& rate);

 private:
  Result<Json> ask(const http::HttpCall& call);
  Status open_store();

  const Settings& settings_;
  Clock& clock_;
  Random& random_;
  NullLogger logger_;
  std::shared_ptr<storage::buckets::BucketStore> store_;  ///< null: not opened
};

}  // namespace shingled::milter::desk
