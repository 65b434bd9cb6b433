#include "storage/redis/redis_servers.h"

#include <algorithm>

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

}  // namespace shingled::storage::redis
