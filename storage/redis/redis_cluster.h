#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/base/guarded.h"
#include "storage/redis/redis_server.h"
#include "storage/redis/slot_map.h"

namespace shingled::storage::redis {

/// The masters of a Redis cluster, each command to whom its key's slot belongs.
///
/// The map of slots is read from the first server that has one, and again when a server is away or
/// says MOVED, at most every kRefreshPause. What one pass could not get done is tried again with
/// the new map, kPasses times; a server may be asked the same twice. What is left then has the
/// error AWAY as its reply, so that the rest of a batch is answered.
///
/// Threads: any thread.
/// Cost: a round trip for each master that is asked, one after the other.
class RedisCluster final : public RedisRoute {
 public:
  static constexpr std::string_view kAway = "AWAY";  ///< first word of our own error
  static constexpr int kPasses = 3;
  static constexpr std::chrono::milliseconds kRefreshPause{100};

  RedisCluster(std::vector<SocketSpec> seeds, RedisLogin login, Clock& clock, Logger& logger);

  Result<std::vector<RedisReply>> ask(const CommandList& commands, TimePoint deadline) override;
  [[nodiscard]] bool is_up() const override;
  [[nodiscard]] bool splits_keys() const override { return true; }
  /// The masters there are just now; none when no server answers.
  std::vector<SocketSpec> masters(TimePoint deadline);
  /// The same to every master; a reply of the last one that answered.
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
  /// The thread that has it reads the map anew; no other waits for it.
  Guarded<TimePoint> refresh_due_;
};

}  // namespace shingled::storage::redis
