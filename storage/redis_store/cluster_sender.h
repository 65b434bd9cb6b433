#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "storage/redis/redis_route.h"
#include "storage/redis_store/update_sender.h"

namespace shingled::storage::redis_store {

/// For a cluster, where a record, its slots and the counter live on different servers and no script
/// can touch them all. An update is made in steps; each is one script or command on one key's
/// server, does nothing the second time, and none begins before the one before it was answered:
///
///   0. read the record: which slots it has, whether it is there
///   1. take away slots it gives up: an add's that differ, all of a delete's (if still its own)
///   2. the record itself, with the marker of the update
///   3. an add's slots
///   4. the counter, with a marker of its own
///
/// Whatever step is the last one before a crash, nothing wrong is found: a record without slots is
/// found by its digest, a slot without a record matches nothing. The update is acknowledged after
/// the last step; sent again, it goes through all of them and does what is missing. Updates of one
/// digest are never under way together; the others go through a step together.
/// Threads: one thread.
/// Cost: five round trips a group.
class ClusterSender final : public UpdateSender {
 public:
  ClusterSender(redis::RedisRoute& cluster, ScriptContext context, redis::ReplicaWait wait)
      : cluster_(cluster), context_(std::move(context)), wait_(wait) {}

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
  Result<std::vector<redis::RedisReply>> run(const std::function<void(redis::CommandList&)>& write,
                                             TimePoint deadline);
  Status load(TimePoint deadline);

  redis::RedisRoute& cluster_;
  ScriptContext context_;
  const redis::ReplicaWait wait_;
  std::string slot_sha_;
  std::string count_sha_;
  std::vector<std::string> settled_;
};

}  // namespace shingled::storage::redis_store
