#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/metrics/instruments.h"
#include "config/options/redis_options.h"
#include "storage/buckets/embedded_buckets.h"
#include "storage/buckets/script_batcher.h"
#include "storage/redis/redis_route.h"

namespace shingled::storage::buckets {

/// The buckets that several daemons share in Redis, by the server's clock.
///
/// All demands of a message are one call of one script: all or nothing, beside others in some
/// order. In a cluster that holds for the demands whose keys share a slot (bucket_key.h, tags);
/// those of several slots are several calls in one go, and when one of them is refused the others
/// give back, so that somebody else may be refused for a moment.
///
/// While Redis is away, or says what makes no sense, the table of this process decides at once and
/// by itself; the server is tried again as RedisServer says. What was taken there stays there. The
/// log says once when that begins and once when it is over. An answer that got lost may have taken
/// drops: they leak.
///
/// Threads: any thread; those that come at the same time share round trips (script_batcher.h).
/// Cost: a round trip a message, or two where some wait for their turn.
class RedisBuckets final : public BucketStore {
 public:
  RedisBuckets(const RedisOptions& options, std::unique_ptr<EmbeddedBuckets> local, Clock& clock,
               Logger& logger);
  ~RedisBuckets() override;
  RedisBuckets(const RedisBuckets&) = delete;
  RedisBuckets& operator=(const RedisBuckets&) = delete;
  RedisBuckets(RedisBuckets&&) = delete;
  RedisBuckets& operator=(RedisBuckets&&) = delete;

  BucketAnswer take(std::span<const BucketDemand> demands, TimePoint deadline) override;
  void give_back(std::span<const BucketDemand> demands, const BucketAnswer& answer,
                 TimePoint deadline) override;
  /// Those in Redis alone. It walks over all keys of the database.
  Result<std::vector<BucketState>> list(std::string_view part, std::size_t most,
                                        TimePoint deadline) override;
  Result<std::optional<BucketState>> show(std::string_view key, TimePoint deadline) override;
  Result<bool> reset(std::string_view key, TimePoint deadline) override;
  Status set(std::string_view key, const LeakRate& rate, double drops, TimePoint deadline) override;
  void report(MetricReport& report) const override;

 private:
  /// In a cluster one server may be away, and who asks the others knows nothing of it: it is over
  /// when nobody has failed for so long.
  static constexpr std::chrono::seconds kClusterQuiet{5};

  using Groups = std::vector<std::vector<std::size_t>>;
  using Replies = Result<std::vector<redis::RedisReply>>;
  struct Reachability {
    bool away = false;
    TimePoint failed{};  ///< last
    std::uint64_t changes = 0;
  };

  [[nodiscard]] Groups groups_of(std::span<const BucketDemand> demands) const;
  void give_back_groups(std::span<const BucketDemand> demands, const BucketAnswer& answer,
                        const Groups& groups, TimePoint deadline);
  Status read_step(redis::RedisRoute& holder, const std::vector<redis::RedisReply>& keys,
                   std::string_view part, TimePoint deadline, std::vector<BucketState>& out) const;
  [[nodiscard]] std::uint64_t health_now() { return health_.lock()->changes; }
  void note(std::uint64_t begun, const Status& outcome);
  [[nodiscard]] TimePoint until(TimePoint deadline) const;
  [[nodiscard]] const std::vector<SocketSpec>& places() const;

  const RedisOptions options_;
  std::unique_ptr<EmbeddedBuckets> local_;
  Clock& clock_;
  Logger& logger_;
  std::unique_ptr<redis::RedisRoute> route_;
  std::unique_ptr<ScriptBatcher> batcher_;  ///< on the route
  mutable Guarded<Reachability> health_;
  EventCount errors_;
  EventCount fallbacks_;
};

}  // namespace shingled::storage::buckets
