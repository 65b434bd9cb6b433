#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/redis/hashes/update_script.h"
#include "storage/redis/route/command_list.h"
#include "storage/redis/route/redis_reply.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::storage::redis {

/// A record as it was read. Its merge is written only if the record has not changed since.
struct SeenRecord {
  std::vector<RedisReply> fields;  ///< the reply to HMGET with kRecordFields and S
  std::int64_t ttl = 0;            ///< the reply to TTL
};

/// What all commands that write one group of hashes have in common.
struct ImportContext {
  std::string_view prefix;
  UpdateId group{};         ///< the unique name of the group in its markers
  bool in_one_step = true;  ///< slots and counter together with the record; false for a cluster
};

/// How long the marker of a group lives. It has one bit for each line that was written, and is
/// needed only while the group is written: a line that is repeated later is refused because its
/// record has changed.
inline constexpr std::uint32_t kGroupMarkerSeconds = 3600;

/// The Lua program that replaces a record by a row in one step; a repeated call does nothing. It
/// returns 1, or 0 if the record has changed since it was read; then nothing is written.
std::string_view import_script();

/// Appends the call that writes a row, as line number `line` of its group. `script` is the name of
/// `import_script` (scripts.h).
///
/// `left`: seconds the row may live, 0 = without end. If somebody else has prolonged the life of
/// the record since it was read, that longer life stays. In a cluster the call writes only the
/// record; after a reply of 1 the caller must claim the slots (`append_slots`) and change the
/// counter.
void append_import(CommandList& commands, const std::string& script, const ImportContext& context,
                   std::size_t line, const sqlite::FuzzyRow& row, const SeenRecord& seen,
                   std::int64_t left);
/// The key of the marker in which the line with this digest has its bit.
std::string group_marker(const ImportContext& context, const Digest& digest);

/// For a cluster: appends the commands that claim the slots of a row.
void append_slots(CommandList& commands, std::string_view prefix, const sqlite::FuzzyRow& row,
                  std::int64_t left);

}  // namespace shingled::storage::redis
