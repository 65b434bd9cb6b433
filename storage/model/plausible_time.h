#pragma once

#include <algorithm>
#include <cstdint>

namespace shingled::storage {

/// How far ahead of ours the clock of someone who tells us a time may be.
inline constexpr std::uint32_t kClockSkewSeconds = 86'400;

/// A time someone else tells (Unix seconds), bounded: what would lie far ahead would never expire,
/// and push out of its slots what is really new.
inline std::uint32_t plausible_time(std::uint32_t told, std::uint32_t now) {
  const std::uint64_t latest = std::uint64_t{now} + kClockSkewSeconds;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(told, latest));
}

}  // namespace shingled::storage
