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
#include "storage/redis/redis_cluster.h"
#include "storage/redis/redis_route.h"
#include "storage/redis_store/import_script.h"
#include "storage/sqlite/fuzzy_table.h"

namespace shingled::storage::redis_store {

// What bringing hashes out of a Redis database and into one have in common.
// Threads: one thread.

/// For one answer: nobody's mail waits.
inline constexpr std::chrono::seconds kTransferPatience{30};

/// The servers of one database: a route by key, and each one that must be scanned.
struct TransferServers {
  std::unique_ptr<redis::RedisRoute> route;
  redis::RedisCluster* cluster = nullptr;  ///< the route, where it is one
  std::vector<std::unique_ptr<redis::RedisRoute>> scanned;
};
/// `wanted`: those to use, if any, instead of all.
TransferServers servers_for(const RedisOptions& options, const std::vector<SocketSpec>& wanted,
                            Clock& clock, Logger& logger);

/// The replies to the commands, within kTransferPatience. A server of a cluster that is away is an
/// error of all.
Result<std::vector<redis::RedisReply>> ask(redis::RedisRoute& route,
                                           const redis::CommandList& commands, Clock& clock);

inline constexpr std::size_t kRowReplies = 2;  ///< a record's fields, its time to live
/// Asks for a record: kRowReplies replies, a SeenRecord.
void ask_row(redis::CommandList& commands, std::string_view prefix, const Digest& digest);
/// The row of a record; nothing where there is none. `S` gives the shingles.
std::optional<sqlite::FuzzyRow> row_of(const Digest& digest, const SeenRecord& seen,
                                       std::int64_t expire, std::uint32_t now);

}  // namespace shingled::storage::redis_store
