#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/system/socket_address.h"
#include "storage/redis/key_slot.h"
#include "storage/redis/redis_reply.h"

namespace shingled::storage::redis {

inline constexpr std::size_t kClusterNodesMax = 1000;

/// Which master has which slots. A value.
struct SlotMap {
  static constexpr std::uint16_t kNobody = 0xffff;
  std::vector<SocketSpec> nodes;
  std::array<std::uint16_t, kClusterSlots> node_of{};  ///< into nodes, or kNobody
};

/// From the reply to CLUSTER SLOTS; `asked` stands in for a node that does not know its own host.
/// Nothing where the reply is another one; ranges that cannot be are left out.
std::optional<SlotMap> parse_slot_map(const RedisReply& reply, const SocketSpec& asked);

/// Where a key is instead: "MOVED 3999 10.0.0.1:6381" (for good), "ASK ..." (this once).
struct Redirect {
  bool this_once = false;
  std::uint16_t slot = 0;
  SocketSpec where;
};
std::optional<Redirect> parse_redirect(const RedisReply& reply, const SocketSpec& asked);

}  // namespace shingled::storage::redis
