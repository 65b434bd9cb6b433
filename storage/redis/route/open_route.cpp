#include "storage/redis/route/open_route.h"

#include <algorithm>

#include "storage/redis/route/scripts.h"

namespace shingled::storage::redis {

RedisLogin login_of(const RedisOptions& options) {
  return {.username = options.username, .password = options.password, .db = options.db};
}

RedisServers::RedisServers(const std::vector<SocketSpec>& servers, const RedisLogin& login,
                           Turn turn, Clock& clock, Logger& logger)
    : clock_(clock), turn_(turn) {
  for (const SocketSpec& server : servers) {
    servers_.push_back(std::make_unique<RedisServer>(server, login, clock, logger));
  }
}

Result<std::vector<RedisReply>> RedisServers::ask(const CommandList& commands, TimePoint deadline) {
  const std::size_t first =
      turn_ == Turn::kRound ? next_.fetch_add(1, std::memory_order_relaxed) : 0;
  Result<std::vector<RedisReply>> replies = Error{ErrorCode::kUnavailable, "no server is named"};
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (i > 0 && clock_.now() >= deadline) break;
    replies = servers_[(first + i) % servers_.size()]->ask(commands, deadline);
    if (replies) break;
  }
  return replies;
}

bool RedisServers::is_up() const {
  return std::any_of(servers_.begin(), servers_.end(),
                     [](const auto& server) { return server->is_up(); });
}

NullLogger& silent_logger() {
  static NullLogger logger;
  return logger;
}

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

Result<std::vector<RedisReply>> whole(Result<std::vector<RedisReply>> replies) {
  if (!replies) return replies;
  if (any_error(*replies, RedisCluster::kAway))
    return Error{ErrorCode::kUnavailable, "a server of the cluster is away"};
  if (any_error(*replies, "NOSCRIPT"))
    return Error{ErrorCode::kUnavailable, "the server forgets scripts"};
  return replies;
}

Result<std::vector<RedisReply>> ask_whole(RedisRoute& route, const CommandList& commands,
                                          TimePoint deadline) {
  if (commands.empty()) return std::vector<RedisReply>();
  return whole(route.ask(commands, deadline));
}

}  // namespace shingled::storage::redis
