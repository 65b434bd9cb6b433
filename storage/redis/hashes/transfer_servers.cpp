#include "storage/redis/hashes/transfer_servers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "storage/redis/hashes/layout.h"
#include "storage/redis/route/key_scan.h"
#include "storage/redis/route/key_slot.h"
#include "storage/redis/route/open_route.h"

namespace shingled::storage::redis {

TransferServers servers_for(const RedisOptions& options, const std::vector<SocketSpec>& wanted,
                            Clock& clock, Logger& logger) {
  const std::vector<SocketSpec>& places = wanted.empty() ? options.servers : wanted;
  TransferServers out;
  out.scanned = key_holders(options, places, clock.now() + kTransferPatience, clock, logger);
  auto opened = open_route(options, wanted, RedisServers::Turn::kInOrder, clock, logger);
  out.route = std::move(opened.route);
  out.cluster = opened.cluster;
  return out;
}

Result<std::vector<RedisReply>> ask(RedisRoute& route, const CommandList& commands, Clock& clock) {
  return ask_whole(route, commands, clock.now() + kTransferPatience);
}

void ask_row(CommandList& commands, std::string_view prefix, const Digest& digest) {
  const std::string key = record_key(prefix, digest);
  ask_record(commands, key, RecordPart::kWithSlots);
  commands.add({"TTL", key}, key_slot(key));
}

std::optional<sqlite::FuzzyRow> row_of(const Digest& digest, const SeenRecord& seen,
                                       std::int64_t expire, std::uint32_t now) {
  if (seen.fields.empty()) return std::nullopt;
  const std::string& slots = seen.fields.back().text;
  const auto record = parse_record(
      {.kind = RedisReply::Kind::kArray, .elements = {seen.fields.begin(), seen.fields.end() - 1}});
  if (!record) return std::nullopt;
  sqlite::FuzzyRow row;
  row.digest = digest;
  row.flags = record->flags;
  // The time to live tells when the life of the record began.
  const std::int64_t lived = expire > 0 && seen.ttl > 0 ? expire - seen.ttl : 0;
  const std::int64_t updated = now - std::clamp<std::int64_t>(lived, 0, now - 1);
  row.created = record->created != 0 ? record->created : static_cast<std::uint32_t>(updated);
  row.updated = std::max(row.created, static_cast<std::uint32_t>(updated));
  row.shingles = parse_slots(slots);
  return row;
}

}  // namespace shingled::storage::redis
