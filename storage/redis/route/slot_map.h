#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/system/socket_address.h"
#include "storage/redis/route/redis_route.h"

namespace shingled::storage::redis {

inline constexpr std::size_t kClusterSlots = 16'384;

/// The slot of a key in a Redis cluster: CRC16 of the key, or of the text between its first '{' and
/// the next '}' if that is not empty. (Digests are raw bytes, so they contain braces by chance.)
/// Source: Redis cluster specification, "Hash tags"; CRC16-CCITT (XModem).
/// Threads: stateless.
std::uint16_t key_slot(std::string_view key);

/// A short text that has this slot. A key that contains it in braces gets this slot, too.
const std::string& slot_tag(std::uint16_t slot);

inline constexpr std::size_t kClusterNodesMax = 1000;

/// Which slots each master has. A value.
struct SlotMap {
  static constexpr std::uint16_t kNobody = 0xffff;
  std::vector<SocketSpec> nodes;
  std::array<std::uint16_t, kClusterSlots> node_of{};  ///< by slot: number in `nodes`, or kNobody
};

/// Reads the reply to CLUSTER SLOTS. A node that does not know its own host gets the host of
/// `asked`. Leaves out invalid ranges; returns nullopt if the reply is malformed.
std::optional<SlotMap> parse_slot_map(const RedisReply& reply, const SocketSpec& asked);

/// Where a key is instead: "MOVED 3999 10.0.0.1:6381" (permanently), "ASK ..." (only this time).
struct Redirect {
  bool this_once = false;
  std::uint16_t slot = 0;
  SocketSpec where;
};
/// Reads a redirection; nullopt if the reply is not one.
std::optional<Redirect> parse_redirect(const RedisReply& reply, const SocketSpec& asked);

}  // namespace shingled::storage::redis
