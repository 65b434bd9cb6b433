#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/logger.h"
#include "config/options/redis_options.h"
#include "storage/redis/route/redis_route.h"

namespace shingled::storage::redis {

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
