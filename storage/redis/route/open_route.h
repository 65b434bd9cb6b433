#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/options/redis_options.h"
#include "storage/redis/route/redis_cluster.h"
#include "storage/redis/route/redis_route.h"
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

/// Returns routes that together hold all keys of one database, so that each can be scanned for its
/// own keys: the masters of a cluster, else one route to a list of servers. Empty if a cluster does
/// not answer by the deadline.
std::vector<std::unique_ptr<RedisRoute>> key_holders(const RedisOptions& options,
                                                     const std::vector<SocketSpec>& places,
                                                     TimePoint deadline, Clock& clock,
                                                     Logger& logger);

/// Returns a glob: `prefix` with its special characters escaped, then `rest` as it is.
std::string glob_of(std::string_view prefix, std::string_view rest);

/// Scans the keys that match `glob`. Calls `each` with the keys of every step; a key may come
/// twice. `deadline` is called for the deadline of each step.
///
/// The cursor of a SCAN is valid only on the server that returned it. If another server answers (a
/// fail-over), or the same one after a restart, keys would be missing, so this is an error.
/// Errors: those of the route; kUnavailable for another server (if INFO is permitted); kCorrupt;
/// those that `each` returns.
/// Threads: as the route.
Status scan_keys(RedisRoute& holder, const std::string& glob,
                 const std::function<TimePoint()>& deadline,
                 const std::function<Status(const std::vector<RedisReply>&)>& each);

}  // namespace shingled::storage::redis
