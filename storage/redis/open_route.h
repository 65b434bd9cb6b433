#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "config/base/logger.h"
#include "config/options/redis_options.h"
#include "storage/redis/redis_cluster.h"
#include "storage/redis/redis_server.h"

namespace shingled::storage::redis {

RedisLogin login_of(const RedisOptions& options);

/// Some servers that hold the same: masters and their replicas.
/// Threads: any thread.
class RedisServers final : public RedisRoute {
 public:
  enum class Turn {
    kRound,    ///< each is asked in turn
    kInOrder,  ///< the first that answers; the others stand by
  };

  RedisServers(const std::vector<SocketSpec>& servers, const RedisLogin& login, Turn turn,
               Clock& clock, Logger& logger);

  /// Tries one server after the other while the deadline allows.
  Result<std::vector<RedisReply>> ask(const CommandList& commands, TimePoint deadline) override;
  [[nodiscard]] bool is_up() const override;

 private:
  Clock& clock_;
  const Turn turn_;
  std::vector<std::unique_ptr<RedisServer>> servers_;
  std::atomic<std::size_t> next_{0};
};

/// The way to one database, by key.
struct OpenRoute {
  std::unique_ptr<RedisRoute> route;
  RedisCluster* cluster = nullptr;  ///< the route, where it is one
};

/// A cluster, or one list of servers: `wanted`, or all where that is empty. Does not connect.
OpenRoute open_route(const RedisOptions& options, const std::vector<SocketSpec>& wanted,
                     RedisServers::Turn turn, Clock& clock, Logger& logger);

/// The replies, where a server of a cluster that is away is an error of all of them.
/// Errors: those of the route, kUnavailable.
Result<std::vector<RedisReply>> ask_whole(RedisRoute& route, const CommandList& commands,
                                          TimePoint deadline);

}  // namespace shingled::storage::redis
