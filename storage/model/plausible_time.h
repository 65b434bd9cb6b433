#pragma once

#include <algorithm>
#include <cstdint>

namespace shingled::storage {

/// A time from another source may be at most this far ahead of our clock.
inline constexpr std::uint32_t kClockSkewSeconds = 86'400;

/// Returns a time from another source (Unix seconds), limited to `now` + kClockSkewSeconds. A
/// record with a time far in the future would never expire, and would take slots from records that
/// are really new.
inline std::uint32_t plausible_time(std::uint32_t told, std::uint32_t now) {
  const std::uint64_t latest = std::uint64_t{now} + kClockSkewSeconds;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(told, latest));
}

}  // namespace shingled::storage
