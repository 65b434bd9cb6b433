#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/redis/command_list.h"
#include "storage/redis/redis_reply.h"
#include "storage/sqlite/fuzzy_table.h"

namespace shingled::storage {

/// A record as it was read: what must still stand there when its merge is written.
struct SeenRecord {
  std::vector<RedisReply> fields;  ///< the reply to HMGET with kRecordFields and S
  std::int64_t ttl = 0;            ///< the reply to TTL
};

/// What one writing of a hash needs.
struct ImportContext {
  std::string_view prefix;
  bool in_one_step = true;  ///< slots and counter with the record; a cluster cannot
};

/// Writes a row in the place of a record in one step, by a Lua program: it gives 1, or 0 where the
/// record is not what was seen any more and nothing was written.
///
/// `left`: seconds it may live, 0 = for ever. A life that somebody else has prolonged meanwhile
/// stays. In a cluster the slots and the counter are for `append_slots`, after a 1.
void append_import(CommandList& commands, const ImportContext& context, const FuzzyRow& row,
                   const SeenRecord& seen, std::int64_t left);

/// The other half in a cluster: claims the slots of a row; counts it if there was none.
void append_slots(CommandList& commands, std::string_view prefix, const FuzzyRow& row, bool is_new,
                  std::int64_t left);

}  // namespace shingled::storage
