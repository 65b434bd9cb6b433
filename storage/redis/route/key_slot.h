#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shingled::storage::redis {

inline constexpr std::size_t kClusterSlots = 16'384;

/// The slot of a key in a Redis cluster: CRC16 of the key, or of the text between its first '{' and
/// the next '}' if that is not empty. (Digests are raw bytes, so they contain braces by chance.)
/// Source: Redis cluster specification, "Hash tags"; CRC16-CCITT (XModem).
/// Threads: stateless.
std::uint16_t key_slot(std::string_view key);

/// A short text that has this slot. A key that contains it in braces gets this slot, too.
const std::string& slot_tag(std::uint16_t slot);

}  // namespace shingled::storage::redis
