// Anything that a Redis server may send. A reply has at most kReplyElementsMax elements, and the
// way in which the bytes are cut makes no difference. The functions that read our layout accept any
// reply.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "storage/redis/hashes/layout.h"
#include "storage/redis/hashes/update_sender.h"
#include "storage/redis/route/redis_connection.h"
#include "storage/redis/route/redis_route.h"
#include "storage/redis/route/scripts.h"
#include "storage/redis/route/slot_map.h"

using namespace shingled;
using namespace shingled::storage;

namespace {

std::size_t elements_of(const redis::RedisReply& reply) {
  std::size_t sum = reply.elements.size();
  for (const redis::RedisReply& element : reply.elements) sum += elements_of(element);
  return sum;
}

void use(const redis::RedisReply& reply) {
  if (elements_of(reply) > redis::kReplyElementsMax) std::abort();
  if (const auto record = redis::parse_record(reply)) {
    if (record->flags.empty() || record->flags.size() > kFlagsMax) std::abort();
    const Match match = redis::match_of({}, *record, kShingleCount, true);
    if (match.flag_count != record->flags.size()) std::abort();
  }
  if (const auto winner = redis::slot_winner(reply.elements)) {
    if (winner->slots < kMatchSlotsMin || winner->slots > reply.elements.size()) std::abort();
  }
  if (redis::outcome_of(reply).has_value() == reply.is_error()) std::abort();
  if (redis::means_away(reply) && !reply.is_error()) std::abort();
  const SocketSpec asked{SocketSpec::Kind::kInet, "192.0.2.1", 7000, ""};
  if (const auto map = redis::parse_slot_map(reply, asked)) {
    if (map->nodes.empty() || map->nodes.size() > redis::kClusterNodesMax) std::abort();
    for (const std::uint16_t node : map->node_of) {
      if (node != redis::SlotMap::kNobody && node >= map->nodes.size()) std::abort();
    }
  }
  if (const auto redirect = redis::parse_redirect(reply, asked)) {
    if (redirect->slot >= redis::kClusterSlots) std::abort();
  }
  (void)redis::count_in(reply);
  (void)redis::script_name(reply).has_value();
}

/// All replies in `bytes`, fed in portions; stops at an error.
std::vector<redis::RedisReply> read_all(BytesView bytes, std::size_t portion) {
  redis::ReplyReader reader;
  std::vector<redis::RedisReply> replies;
  while (!bytes.empty()) {
    const BytesView next = bytes.first(std::min(portion, bytes.size()));
    bytes = bytes.subspan(next.size());
    if (!reader.feed(next)) return replies;
    for (;;) {
      auto reply = reader.next();
      if (!reply) return replies;
      if (!*reply) break;
      replies.push_back(**std::move(reply));
    }
  }
  return replies;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const BytesView bytes(data + 1, size - 1);
  const auto at_once = read_all(bytes, bytes.size());
  for (const redis::RedisReply& reply : at_once) use(reply);
  if (read_all(bytes, 1U + data[0]) != at_once) std::abort();
  return 0;
}
