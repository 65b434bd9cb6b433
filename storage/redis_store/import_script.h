#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/redis/command_list.h"
#include "storage/redis/redis_reply.h"
#include "storage/redis_store/update_script.h"
#include "storage/sqlite/fuzzy_table.h"

namespace shingled::storage::redis_store {

/// A record as it was read: what must still stand there when its merge is written.
struct SeenRecord {
  std::vector<redis::RedisReply> fields;  ///< the reply to HMGET with kRecordFields and S
  std::int64_t ttl = 0;                   ///< the reply to TTL
};

/// What the writings of a group of hashes have in common.
struct ImportContext {
  std::string_view prefix;
  std::string_view sha;     ///< what SCRIPT LOAD of `import_script` answered
  UpdateName group{};       ///< names the group in its markers, no other one
  bool in_one_step = true;  ///< slots and counter with the record; a cluster cannot
};

/// The lines of a group that were written have a bit each in its marker, which need not live
/// longer than the group is written: a line that comes later is refused, for it saw another record.
inline constexpr std::uint32_t kGroupMarkerSeconds = 3600;

/// The Lua program that writes a row in the place of a record in one step, once however often it is
/// called: it gives 1, or 0 where the record is not what was seen any more and nothing was written.
std::string_view import_script();

/// A row as line number `line` of its group.
///
/// `left`: seconds it may live, 0 = for ever. A life that somebody else has prolonged meanwhile
/// stays. In a cluster the slots and the counter are for `append_slots`, after a 1.
void append_import(redis::CommandList& commands, const ImportContext& context, std::size_t line,
                   const sqlite::FuzzyRow& row, const SeenRecord& seen, std::int64_t left);
/// The marker of the group that a line of this digest is noted in.
std::string group_marker(const ImportContext& context, const Digest& digest);

/// The other half in a cluster: claims the slots of a row.
void append_slots(redis::CommandList& commands, std::string_view prefix,
                  const sqlite::FuzzyRow& row, std::int64_t left);

}  // namespace shingled::storage::redis_store
