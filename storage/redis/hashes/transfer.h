#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/options/redis_options.h"
#include "storage/model/work_watcher.h"
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

/// A record as it was read. Its merge is written only if the record has not changed since.
struct SeenRecord {
  std::vector<RedisReply> fields;  ///< the reply to HMGET with kRecordFields and S
  std::int64_t ttl = 0;            ///< the reply to TTL
};

inline constexpr std::size_t kRowReplies = 2;  ///< the fields of a record, its time to live
/// Appends the commands that read a record. They have kRowReplies replies, which make a SeenRecord.
void ask_row(CommandList& commands, std::string_view prefix, const Digest& digest);
/// Makes the row of a record, with the shingles of its field S. Returns nullopt if there is no
/// record.
std::optional<sqlite::FuzzyRow> row_of(const Digest& digest, const SeenRecord& seen,
                                       std::int64_t expire, std::uint32_t now);

/// The options for reading all hashes of a Redis database or importing hashes into one.
struct TransferOptions {
  RedisOptions redis;
  std::chrono::seconds expire{0};  ///< 0 = hashes never expire
};

/// The counts of `dump_redis`.
struct DumpReport {
  std::uint64_t hashes = 0;
  std::uint64_t broken = 0;       ///< keys with the form of a record that are not valid records
  std::uint64_t lost_slots = 0;   ///< records of rspamd 3.4 that lost some slots to others
  std::uint64_t lost_hashes = 0;  ///< those with too few slots left for a match: now direct hashes
};

/// Calls `take` with every hash of a Redis database, each once, in any order (ids count up). Others
/// may write at the same time: a hash that is added or deleted meanwhile may be included or not,
/// and a hash that a cluster moves to another server meanwhile may be missing. If a server is
/// replaced (a fail-over) or restarted, more would be missing, so that is kUnavailable (if INFO is
/// permitted).
///
/// The shingles come from the field S. A record without S (rspamd 3.4) gets those of the slots that
/// it still owns, as in an import of rspamd's SQLite file (SCHEMA.md). `updated` is computed from
/// the time to live, and is at least `created`.
/// Errors: those of the connection; those that `take` returns; stopped.
/// Threads: one thread.
/// Memory: 72 bytes per hash, 340 per hash of rspamd 3.4.
Result<DumpReport> dump_redis(const TransferOptions& options,
                              const std::function<Status(const sqlite::FuzzyRow&)>& take,
                              const Watcher& watcher, Clock& clock, Logger& logger);

}  // namespace shingled::storage::redis
