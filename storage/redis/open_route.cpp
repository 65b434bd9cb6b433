#include "storage/redis/open_route.h"

#include "storage/redis/scripts.h"

namespace shingled::storage::redis {

OpenRoute open_route(const RedisOptions& options, const std::vector<SocketSpec>& wanted,
                     RedisServers::Turn turn, Clock& clock, Logger& logger) {
  const RedisLogin login = login_of(options);
  if (options.cluster) {
    auto cluster = std::make_unique<RedisCluster>(options.servers, login, clock, logger);
    RedisCluster* const known = cluster.get();
    return {std::move(cluster), known};
  }
  const std::vector<SocketSpec>& servers = wanted.empty() ? options.servers : wanted;
  return {std::make_unique<RedisServers>(servers, login, turn, clock, logger), nullptr};
}

Result<std::vector<RedisReply>> ask_whole(RedisRoute& route, const CommandList& commands,
                                          TimePoint deadline) {
  if (commands.empty()) return std::vector<RedisReply>();
  auto replies = route.ask(commands, deadline);
  if (replies && any_error(*replies, RedisCluster::kAway)) {
    return Error{ErrorCode::kUnavailable, "a server of the cluster is away"};
  }
  return replies;
}

}  // namespace shingled::storage::redis
