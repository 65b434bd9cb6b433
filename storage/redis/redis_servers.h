#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "config/options/redis_options.h"
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

}  // namespace shingled::storage::redis
