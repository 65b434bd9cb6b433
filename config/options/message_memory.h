#pragma once

#include <algorithm>
#include <cstdint>

namespace shingled {

// Memory that a message needs, for `milter.memory_max`: estimates, rather too high than too low.
// They are here because the loader checks with them that the largest message fits.

/// A message of up to this size is small: it may use the memory that large ones must leave free.
inline constexpr std::uint64_t kSmallMessageBytes = 256UL * 1024;

/// Memory to receive a message of that length: its bytes, and at most an eighth more that is
/// reserved ahead.
constexpr std::uint64_t memory_to_receive(std::uint64_t message_bytes) {
  constexpr std::uint64_t kLeast = 64UL * 1024;
  return message_bytes + message_bytes / 8 + kLeast;
}

/// Memory for the analysis of a received message, besides the message: decoded bodies, together at
/// most as large as the message, and a working set that grows with small messages and is bounded
/// for large ones.
constexpr std::uint64_t memory_to_analyze(std::uint64_t message_bytes) {
  constexpr std::uint64_t kWorkingSetLeast = 256UL * 1024;
  constexpr std::uint64_t kWorkingSetMost = 64UL * 1024 * 1024;
  constexpr std::uint64_t kWorkingSetPerByte = 32;
  return message_bytes +
         (message_bytes > kWorkingSetMost / kWorkingSetPerByte
              ? kWorkingSetMost
              : std::min(kWorkingSetMost, kWorkingSetPerByte * message_bytes + kWorkingSetLeast));
}

/// How a budget is shared: large messages leave the last eighth of it to small ones. Half of it is
/// for receiving them and what is left for analysing them, so that neither waits for the other.
constexpr std::uint64_t memory_for_large(std::uint64_t memory_max) {
  return memory_max - memory_max / 8;
}
constexpr std::uint64_t memory_for_receiving(std::uint64_t memory_max) { return memory_max / 2; }
constexpr std::uint64_t memory_for_analyses(std::uint64_t memory_max) {
  return memory_for_large(memory_max) - memory_for_receiving(memory_max);
}

/// Whether a budget has room for a message of that length: to receive it, and to analyse it even
/// while as much is being received as may be.
constexpr bool fits_memory(std::uint64_t message_bytes, std::uint64_t memory_max) {
  return memory_to_receive(message_bytes) <= memory_for_receiving(memory_max) &&
         memory_to_analyze(message_bytes) <= memory_for_analyses(memory_max);
}

}  // namespace shingled
