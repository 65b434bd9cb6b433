#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "storage/redis/hashes/update_sender.h"
#include "storage/redis/route/redis_route.h"
#include "storage/redis/route/scripts.h"

namespace shingled::storage::redis {

/// The sender for a cluster, where a record, its slots and the counter are on different servers, so
/// that no script can change all of them. An update is made in steps. Each step is one script or
/// command per key, does nothing if it is repeated, and begins after the replies to the previous
/// step:
///
///   0. read the record: whether it exists and which slots it has
///   1. free slots that it gives up: for an add those that differ, for a delete all (if it still
///      owns them)
///   2. change the record, with the marker of the update
///   3. claim the slots of an add
///   4. change the counter, with a marker of its own
///
/// A crash after any step leaves no wrong matches: a record without slots is found by its digest, a
/// slot without a record matches nothing. The update is acknowledged after the last step; if it is
/// sent again, it goes through all steps and does what is missing. Updates of the same digest are
/// never under way together; other updates go through each step together.
/// Threads: one thread.
/// Cost: five round trips per group.
class ClusterSender final : public UpdateSender {
 public:
  ClusterSender(RedisRoute& cluster, ScriptContext context, ReplicaWait wait);

  Result<std::vector<Status>> send(std::span<const TimedUpdate> updates,
                                   TimePoint deadline) override;
  void settle(std::span<const TimedUpdate> updates) override;
  Status refresh(std::span<const Fingerprint> found, TimePoint deadline) override;
  Result<std::uint64_t> count(TimePoint deadline) override;

 private:
  struct Plan;  ///< what is known about one update
  using Plans = std::span<Plan>;

  Status send_run(std::span<const TimedUpdate> updates, std::span<Status> outcomes,
                  TimePoint deadline);
  Status read_records(Plans plans, TimePoint deadline);
  Status free_slots(Plans plans, TimePoint deadline);
  Status change_records(Plans plans, TimePoint deadline);
  Status claim_slots(Plans plans, TimePoint deadline);
  Status change_count(Plans plans, TimePoint deadline);
  /// The names of the scripts.
  struct ScriptNames {
    const std::string& update;
    const std::string& slot;
    const std::string& count;
  };
  using Write = std::function<void(CommandList&, const ScriptNames& scripts)>;
  Result<std::vector<RedisReply>> run(const Write& write, TimePoint deadline);

  const ScriptContext context_;
  const ReplicaWait wait_;
  Scripts scripts_;
  std::vector<std::string> settled_;
};

}  // namespace shingled::storage::redis
