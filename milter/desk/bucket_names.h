#pragma once

#include <cstddef>
#include <string>

#include "config/base/result.h"
#include "config/options/ratelimit_options.h"
#include "milter/desk/bucket_client.h"
#include "milter/view/json.h"

namespace shingled::milter::desk {

/// What people call a bucket: a full name, an address, or a part of one.
/// Threads: one thread; waits for the client.
class BucketNames {
 public:
  static constexpr std::size_t kFoundMost = 100;

  /// Both must outlive it.
  BucketNames(const MailLimitOptions& limits, BucketClient& client)
      : limits_(limits), client_(client) {}

  /// Whether a name begins with a type, of the settings if they have any.
  [[nodiscard]] bool has_type(const std::string& key) const;

  /// The bucket that a name means: itself, or what the daemon calls it, however it is spelled.
  [[nodiscard]] std::string known_key(const std::string& name) const;

  /// Whether it is the full name of a bucket. The type may be one that is no longer configured, if
  /// the bucket is not empty.
  [[nodiscard]] bool is_bucket(const std::string& key) const;

  /// The buckets of all types with this text in their names, as given or as names spell it.
  [[nodiscard]] Result<Json> find(const std::string& text) const;

  /// "names are TYPE:PART..., such as to:user@example.org; types: to, user".
  [[nodiscard]] std::string names_hint() const;

  /// The rate that the text says ("100/1h"; empty = none), else of the bucket, else of its type in
  /// the settings.
  /// Errors: kInvalid.
  [[nodiscard]] Result<BucketRate> wanted_rate(const std::string& key,
                                               const std::string& rate_text) const;

 private:
  const MailLimitOptions& limits_;
  BucketClient& client_;
};

}  // namespace shingled::milter::desk
