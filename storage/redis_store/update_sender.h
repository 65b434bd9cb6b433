#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "storage/model/timed_update.h"
#include "storage/redis/redis_route.h"
#include "storage/redis_store/update_script.h"

namespace shingled::storage::redis_store {

/// Makes updates in a Redis database, each as one step and once, however often it is sent.
/// Errors: those of the route: some may have been made, to send all of them again is right.
/// Threads: one thread.
class UpdateSender {
 public:
  virtual ~UpdateSender() = default;
  /// What became of each, in order: success, or kCorrupt when the database cannot take it. Each
  /// must have a name; its time is the creation time of a record it makes.
  virtual Result<std::vector<Status>> send(std::span<const TimedUpdate> updates,
                                           TimePoint deadline) = 0;
  /// These will not be sent again: their markers need not live long any more.
  virtual void settle(std::span<const TimedUpdate> updates) = 0;
  /// Lets the records found live on. A loss would be no harm.
  virtual Status refresh(std::span<const Fingerprint> found, TimePoint deadline) = 0;
  /// Adds minus deletes.
  virtual Result<std::uint64_t> count(TimePoint deadline) = 0;
};

/// For servers that hold all keys: one call of the script an update, in one round trip.
class ScriptSender final : public UpdateSender {
 public:
  ScriptSender(redis::RedisRoute& route, ScriptContext context, redis::ReplicaWait wait)
      : route_(route), context_(std::move(context)), wait_(wait) {}

  Result<std::vector<Status>> send(std::span<const TimedUpdate> updates,
                                   TimePoint deadline) override;
  void settle(std::span<const TimedUpdate> updates) override;
  Status refresh(std::span<const Fingerprint> found, TimePoint deadline) override;
  Result<std::uint64_t> count(TimePoint deadline) override;

 private:
  Result<std::vector<redis::RedisReply>> run(const std::function<void(redis::CommandList&)>& write,
                                             TimePoint deadline);
  Status load(TimePoint deadline);

  redis::RedisRoute& route_;
  ScriptContext context_;
  const redis::ReplicaWait wait_;
  std::vector<std::string> settled_;  ///< markers to tell the server about
};

/// Success, or kCorrupt with the server's words.
Status outcome_of(const redis::RedisReply& reply);
/// The reply to GET of the counter; below 0 is 0.
std::uint64_t count_in(const redis::RedisReply& reply);

}  // namespace shingled::storage::redis_store
