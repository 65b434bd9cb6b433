#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "storage/model/fuzzy_store.h"
#include "storage/redis/hashes/update_script.h"
#include "storage/redis/route/redis_route.h"
#include "storage/redis/route/scripts.h"

namespace shingled::storage::redis {

/// Makes updates in a Redis database. An update that is sent several times is made once.
/// Errors: those of the route. Some updates may have been made then; sending all of them again is
/// safe.
/// Threads: one thread.
class UpdateSender {
 public:
  virtual ~UpdateSender() = default;
  /// Returns the outcome of each update, in order: success, or kCorrupt if the database cannot
  /// accept it. Each must have a name; its time is the creation time of a new record.
  virtual Result<std::vector<Status>> send(std::span<const TimedUpdate> updates,
                                           TimePoint deadline) = 0;
  /// These updates will not be sent again, so their markers need not live long any more.
  virtual void settle(std::span<const TimedUpdate> updates) = 0;
  /// Prolongs the life of records that were found. A lost refresh does no harm.
  virtual Status refresh(std::span<const Fingerprint> found, TimePoint deadline) = 0;
  /// Adds minus deletes.
  virtual Result<std::uint64_t> count(TimePoint deadline) = 0;
};

/// The sender for servers that hold all keys: each update is one call of the script, so one step;
/// all calls share one round trip.
class ScriptSender final : public UpdateSender {
 public:
  ScriptSender(RedisRoute& route, ScriptContext context, ReplicaWait wait);

  Result<std::vector<Status>> send(std::span<const TimedUpdate> updates,
                                   TimePoint deadline) override;
  void settle(std::span<const TimedUpdate> updates) override;
  Status refresh(std::span<const Fingerprint> found, TimePoint deadline) override;
  Result<std::uint64_t> count(TimePoint deadline) override;

 private:
  using Write = std::function<void(CommandList&, const std::string& script)>;
  Result<std::vector<RedisReply>> run(const Write& write, TimePoint deadline);

  RedisRoute& route_;
  const ScriptContext context_;
  const ReplicaWait wait_;
  Scripts script_;
  std::vector<std::string> settled_;  ///< markers whose life the next `send` shortens
};

/// Success, or kCorrupt with the error text of the server.
Status outcome_of(const RedisReply& reply);
/// The count in the reply to GET of the counter; 0 if it is absent, negative or not a number.
std::uint64_t count_in(const RedisReply& reply);

}  // namespace shingled::storage::redis
