#include "storage/redis/hashes/import_script.h"

#include "storage/redis/hashes/layout.h"
#include "storage/redis/route/key_slot.h"
#include "storage/sqlite/base/shingle_set.h"

namespace shingled::storage::redis {

namespace {

// KEYS: the record, the marker of the group, and the counter unless in a cluster. ARGV: the number
// of the line; the life of the marker in seconds; the life of the record in seconds, new and as it
// was read; the digest; the keys of the slots to claim (one per line, because a prefix may contain
// a comma); 18 fields as they were read ('=value', or '-' if absent); then the names and values of
// the fields to write.
constexpr std::string_view kScript = R"lua(
local record, marker, count = KEYS[1], KEYS[2], KEYS[3]
local line, remember, left, seen = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local digest, slots = ARGV[5], ARGV[6]
if redis.call('GETBIT', marker, line) == 1 then return 1 end
local names = {'F', 'V', 'C', 'F1', 'V1', 'F2', 'V2', 'F3', 'V3', 'F4', 'V4', 'F5', 'V5',
               'F6', 'V6', 'F7', 'V7', 'S'}
local there = redis.call('HMGET', record, unpack(names))
for i = 1, #names do
  if (there[i] and '=' .. there[i] or '-') ~= ARGV[6 + i] then return 0 end
end
redis.call('SETBIT', marker, line, 1)
redis.call('EXPIRE', marker, remember)
local is_new = redis.call('EXISTS', record) == 0
redis.call('HDEL', record, unpack(names, 1, #names - 1))
redis.call('HSET', record, unpack(ARGV, 7 + #names))
if left == 0 then
  redis.call('PERSIST', record)
elseif is_new or redis.call('TTL', record) <= seen then
  redis.call('EXPIRE', record, left)
end
for key in string.gmatch(slots, '[^\n]+') do
  if left == 0 then redis.call('SET', key, digest)
  else redis.call('SET', key, digest, 'EX', left) end
end
if count and is_new then redis.pcall('INCR', count) end
return 1
)lua";

/// Calls `each` for each slot of the row that a question can match, so not for lost slots.
template <typename Each>
void for_each_slot(const sqlite::FuzzyRow& row, const Each& each) {
  if (!row.shingles) return;
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    const std::uint64_t shingle = (*row.shingles)[slot];
    if (shingle != sqlite::lost_slot(row.digest, slot)) each(slot, shingle);
  }
}

std::string seen_text(const RedisReply& field) { return field.is_text() ? '=' + field.text : "-"; }

}  // namespace

std::string_view import_script() { return kScript; }

std::string group_marker(const ImportContext& context, const Digest& digest) {
  if (context.in_one_step) return marker_key(context.prefix, context.group);
  return marker_beside(context.prefix, record_key(context.prefix, digest), context.group);
}

void append_import(CommandList& commands, const std::string& script, const ImportContext& context,
                   std::size_t line, const sqlite::FuzzyRow& row, const SeenRecord& seen,
                   std::int64_t left) {
  const std::string record = record_key(context.prefix, row.digest);
  std::string slots;
  if (context.in_one_step) {
    for_each_slot(row, [&](std::size_t slot, std::uint64_t shingle) {
      slots += slot_key(context.prefix, slot, shingle) + '\n';
    });
  }
  const auto lists = row.flags.all();
  const std::size_t keys = context.in_one_step ? 3 : 2;
  const std::size_t written = 2 + 4 * lists.size() + (row.shingles ? 2 : 0);
  commands.begin(3 + keys + 6 + seen.fields.size() + written, key_slot(record));
  commands.word("EVALSHA");
  commands.word(script);
  commands.word(std::to_string(keys));
  commands.word(record);
  commands.word(group_marker(context, row.digest));
  if (context.in_one_step) commands.word(count_key(context.prefix));
  commands.word(std::to_string(line));
  commands.word(std::to_string(kGroupMarkerSeconds));
  commands.word(std::to_string(left));
  commands.word(std::to_string(seen.ttl));
  commands.word(as_text(row.digest.bytes));
  commands.word(slots);
  for (const RedisReply& field : seen.fields) commands.word(seen_text(field));
  commands.word("C");
  commands.word(std::to_string(row.created));
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::string number = i == 0 ? "" : std::to_string(i);
    commands.word("F" + number);
    commands.word(std::to_string(lists[i].flag));
    commands.word("V" + number);
    commands.word(std::to_string(lists[i].value));
  }
  if (row.shingles) {
    commands.word("S");
    commands.word(slots_text(*row.shingles));
  }
}

void append_slots(CommandList& commands, std::string_view prefix, const sqlite::FuzzyRow& row,
                  std::int64_t left) {
  for_each_slot(row, [&](std::size_t slot, std::uint64_t shingle) {
    claim_slot(commands, slot_key(prefix, slot, shingle), row.digest, left);
  });
}

}  // namespace shingled::storage::redis
