#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/logger.h"
#include "config/options/redis_options.h"
#include "storage/redis/redis_route.h"

namespace shingled::storage::redis {

/// Those who hold the keys of one database, each to be asked for all of its own: the masters of a
/// cluster, or else one list of servers. None where a cluster does not answer by the deadline.
std::vector<std::unique_ptr<RedisRoute>> key_holders(const RedisOptions& options,
                                                     const std::vector<SocketSpec>& places,
                                                     TimePoint deadline, Clock& clock,
                                                     Logger& logger);

/// "P*" as a glob: the prefix means itself.
std::string glob_of(std::string_view prefix, std::string_view rest);

/// Calls `each` with the keys of every step; a key may come twice. `deadline` is asked for each.
/// The place where a SCAN goes on means something to the server alone that gave it: where another
/// one answers (a fail-over), or itself after a start, keys would be left out, so that is an error.
/// Errors: those of the route; kUnavailable for another server (where INFO is permitted); kCorrupt;
/// what `each` returns.
/// Threads: as the route.
Status scan_keys(RedisRoute& holder, const std::string& glob,
                 const std::function<TimePoint()>& deadline,
                 const std::function<Status(const std::vector<RedisReply>&)>& each);

}  // namespace shingled::storage::redis
