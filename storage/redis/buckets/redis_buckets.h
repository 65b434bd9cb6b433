#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/logger.h"
#include "config/metrics/instruments.h"
#include "config/options/redis_options.h"
#include "storage/buckets/embedded_buckets.h"
#include "storage/redis/buckets/script_batcher.h"
#include "storage/redis/route/reachability.h"
#include "storage/redis/route/redis_route.h"

namespace shingled::storage::redis {

/// The buckets that several daemons share in Redis, by the server's clock.
///
/// All demands of a message are one call of one script: atomic, all or nothing. In a cluster this
/// holds for the demands whose keys share a slot (make_bucket_key, tags). Demands of several slots
/// are several calls in one exchange. If one of these is refused, the others are given back, so
/// another message may be refused for a moment.
///
/// While Redis is away, or its replies are malformed, the table of this process decides at once and
/// by itself; RedisServer says when the server is tried again, Reachability when it counts as back.
/// Drops that the local table took stay there. The log has one line when this begins and one when
/// it ends. If a reply is lost, its call may have taken drops; these leak.
///
/// Threads: any thread; calls at the same time share round trips (script_batcher.h).
/// Cost: one round trip per message, or two if it has to wait for its turn.
class RedisBuckets final : public buckets::BucketStore {
 public:
  RedisBuckets(const RedisOptions& options, std::unique_ptr<buckets::EmbeddedBuckets> local,
               Clock& clock, Logger& logger);
  ~RedisBuckets() override;
  RedisBuckets(const RedisBuckets&) = delete;
  RedisBuckets& operator=(const RedisBuckets&) = delete;
  RedisBuckets(RedisBuckets&&) = delete;
  RedisBuckets& operator=(RedisBuckets&&) = delete;

  buckets::BucketAnswer take(std::span<const buckets::BucketDemand> demands,
                             TimePoint deadline) override;
  void give_back(std::span<const buckets::BucketDemand> demands,
                 const buckets::BucketAnswer& answer, TimePoint deadline) override;
  /// Only the buckets in Redis, not the local ones. Scans all keys of the database.
  Result<std::vector<buckets::BucketState>> list(std::string_view part, std::size_t most,
                                                 TimePoint deadline) override;
  Result<std::optional<buckets::BucketState>> show(std::string_view key,
                                                   TimePoint deadline) override;
  Result<bool> reset(std::string_view key, TimePoint deadline) override;
  Status set(std::string_view key, const LeakRate& rate, double drops, TimePoint deadline) override;
  void report(MetricReport& report) const override;

 private:
  using Groups = std::vector<std::vector<std::size_t>>;
  using Replies = Result<std::vector<RedisReply>>;

  [[nodiscard]] Groups groups_of(std::span<const buckets::BucketDemand> demands) const;
  void give_back_groups(std::span<const buckets::BucketDemand> demands,
                        const buckets::BucketAnswer& answer, const Groups& groups,
                        TimePoint deadline);
  Status read_step(RedisRoute& holder, const std::vector<RedisReply>& keys, std::string_view part,
                   TimePoint deadline, std::vector<buckets::BucketState>& out) const;
  [[nodiscard]] Status decides(TimePoint deadline) const;
  [[nodiscard]] TimePoint until(TimePoint deadline) const;
  [[nodiscard]] const std::vector<SocketSpec>& places() const;

  const RedisOptions options_;
  std::unique_ptr<buckets::EmbeddedBuckets> local_;
  Clock& clock_;
  std::unique_ptr<RedisRoute> route_;
  std::unique_ptr<ScriptBatcher> batcher_;  ///< uses `route_`
  Reachability reachability_;
  EventCount fallbacks_;
};

}  // namespace shingled::storage::redis
