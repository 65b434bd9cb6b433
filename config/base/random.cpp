#include "config/base/random.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace shingled {

std::uint32_t Random::next_u32() {
  std::uint8_t bytes[4];
  fill(bytes);
  std::uint32_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::uint64_t Random::next_u64() {
  std::uint8_t bytes[8];
  fill(bytes);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void SystemRandom::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) std::abort();  // a kernel without entropy source: no key or nonce may be made
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace shingled
