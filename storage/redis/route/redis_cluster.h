#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/guarded.h"
#include "storage/redis/route/redis_server.h"
#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {

/// The masters of a Redis cluster. Each command goes to the master that owns the slot of its key.
///
/// The map of slots is read from the first server that returns one. It is read again when a server
/// is away or answers MOVED, at most every kRefreshPause. Commands that have no reply after a pass
/// are sent again with the new map, in kPasses passes altogether; so a server may get a command
/// twice. Commands that then still have no reply get the error AWAY as their reply, so that the
/// rest of a batch is answered.
///
/// Threads: any thread.
/// Cost: a round trip for each master that is asked, one after the other.
class RedisCluster final : public RedisRoute {
 public:
  static constexpr std::string_view kAway = "AWAY";  ///< our own error: a master did not answer
  static constexpr int kPasses = 3;
  static constexpr std::chrono::milliseconds kRefreshPause{100};

  RedisCluster(std::vector<SocketSpec> seeds, RedisLogin login, Clock& clock, Logger& logger);

  Result<std::vector<RedisReply>> ask(const CommandList& commands, TimePoint deadline) override;
  [[nodiscard]] bool is_up() const override;
  [[nodiscard]] bool splits_keys() const override { return true; }
  /// The current masters; empty if no server answers.
  std::vector<SocketSpec> masters(TimePoint deadline);
  /// Sends the commands to every master; returns the replies of the last one that answered.
  Result<std::vector<RedisReply>> ask_all(const CommandList& commands, TimePoint deadline) override;

 private:
  using Server = std::shared_ptr<RedisServer>;
  using Map = std::shared_ptr<const SlotMap>;
  struct Pass;

  Server server(const SocketSpec& where);
  [[nodiscard]] Map map() const { return *map_.lock(); }
  Map map_or_refresh(TimePoint deadline);
  void refresh(TimePoint deadline);
  void run(Pass& pass, TimePoint deadline);
  void ask_server(Pass& pass, const SocketSpec& where, const std::vector<std::size_t>& wanted,
                  TimePoint deadline);
  void ask_this_once(Pass& pass, std::size_t command, const SocketSpec& where, TimePoint deadline);

  const std::vector<SocketSpec> seeds_;
  const RedisLogin login_;
  Clock& clock_;
  Logger& logger_;
  mutable Guarded<Map> map_;
  mutable Guarded<std::map<std::string, Server>> servers_;
  /// The thread that holds the lock reads the map again; the others do not wait for it.
  Guarded<TimePoint> refresh_due_;
};

}  // namespace shingled::storage::redis
