#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/options/redis_options.h"
#include "storage/redis/route/redis_cluster.h"
#include "storage/redis/route/redis_server.h"

namespace shingled::storage::redis {

/// Sets the server, login and database in `options` from a URL:
///
///   redis://[USER:PASSWORD@ | :PASSWORD@]HOST[:PORT][/DB]     unix:/PATH
///
/// In user and password "%41" stands for "A", so "%25" for a percent sign (RFC 3986, 2.1).
/// Errors: kInvalid; the message does not repeat the text, which may hold a password.
Status apply_redis_url(std::string_view url, RedisOptions& options);

RedisLogin login_of(const RedisOptions& options);

/// A list of servers with the same data: a master and its replicas.
/// Threads: any thread.
class RedisServers final : public RedisRoute {
 public:
  enum class Turn {
    kRound,    ///< all servers in turn
    kInOrder,  ///< the first server that answers; the others are spare
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

/// The route to one database.
struct OpenRoute {
  std::unique_ptr<RedisRoute> route;
  RedisCluster* cluster = nullptr;  ///< the route, if it is a cluster
};

/// For whoever tells of an outage himself: the lines of the servers would only repeat it.
NullLogger& silent_logger();

/// Makes the route to a cluster or to a list of servers: `wanted`, or all servers of the options if
/// `wanted` is empty. Does not connect.
OpenRoute open_route(const RedisOptions& options, const std::vector<SocketSpec>& wanted,
                     RedisServers::Turn turn, Clock& clock, Logger& logger);

/// The same replies, or an error if a server of a cluster was away or one forgets its scripts.
/// Errors: those of `replies`, kUnavailable.
Result<std::vector<RedisReply>> whole(Result<std::vector<RedisReply>> replies);

/// Returns the replies to all commands, or the errors of the route and of `whole`.
Result<std::vector<RedisReply>> ask_whole(RedisRoute& route, const CommandList& commands,
                                          TimePoint deadline);

}  // namespace shingled::storage::redis
