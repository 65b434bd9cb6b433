#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace shingled::fingerprint {

static_assert(std::endian::native == std::endian::little,
              "bytes are loaded in the machine's order, which must be little-endian");

/// The `size` bytes at `data`, eight at most, as a little-endian integer. Reads no byte beyond
/// them and, unlike a memcpy of a size not known before, calls nothing.
inline std::uint64_t load_bytes(const char* data, std::size_t size = sizeof(std::uint64_t)) {
  std::uint64_t value = 0;
  if (size >= sizeof value) {
    std::memcpy(&value, data, sizeof value);
    return value;
  }
  constexpr std::size_t kHalf = sizeof(std::uint32_t);
  if (size >= kHalf) {  // two halves, which may overlap
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, data, kHalf);
    std::memcpy(&high, data + size - kHalf, kHalf);
    return low | static_cast<std::uint64_t>(high) << (8 * (size - kHalf));
  }
  if (size == 0) return 0;
  const auto byte = [data](std::size_t i) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(data[i])) << (8 * i);
  };
  return byte(0) | byte(size / 2) | byte(size - 1);
}

}  // namespace shingled::fingerprint
