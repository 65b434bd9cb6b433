#pragma once

#include <memory>
#include <vector>

#include "config/base/logger.h"
#include "config/options/redis_options.h"
#include "storage/redis/redis_cluster.h"
#include "storage/redis/redis_servers.h"

namespace shingled::storage::redis {

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
