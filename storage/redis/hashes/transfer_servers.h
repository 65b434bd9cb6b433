#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/options/redis_options.h"
#include "storage/redis/hashes/import_script.h"
#include "storage/redis/route/redis_cluster.h"
#include "storage/redis/route/redis_route.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::storage::redis {

// Functions that dump_redis and RedisImport share.
// Threads: one thread.

/// How long to wait for one reply. It is long because no mail waits.
inline constexpr std::chrono::seconds kTransferPatience{30};

/// The servers of one database: a route for commands with a key, and routes to scan for all keys.
struct TransferServers {
  std::unique_ptr<RedisRoute> route;
  RedisCluster* cluster = nullptr;  ///< the route, if it is a cluster
  std::vector<std::unique_ptr<RedisRoute>> scanned;
};
/// `wanted`: the servers to use; if empty, all servers of the options.
TransferServers servers_for(const RedisOptions& options, const std::vector<SocketSpec>& wanted,
                            Clock& clock, Logger& logger);

/// Returns the replies to the commands, within kTransferPatience, or an error if one server of a
/// cluster is away.
Result<std::vector<RedisReply>> ask(RedisRoute& route, const CommandList& commands, Clock& clock);

inline constexpr std::size_t kRowReplies = 2;  ///< the fields of a record, its time to live
/// Appends the commands that read a record. They have kRowReplies replies, which make a SeenRecord.
void ask_row(CommandList& commands, std::string_view prefix, const Digest& digest);
/// Makes the row of a record, with the shingles of its field S. Returns nullopt if there is no
/// record.
std::optional<sqlite::FuzzyRow> row_of(const Digest& digest, const SeenRecord& seen,
                                       std::int64_t expire, std::uint32_t now);

}  // namespace shingled::storage::redis
