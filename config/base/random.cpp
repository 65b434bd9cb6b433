#include "config/base/random.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace shingled {

namespace {

template <typename Number>
Number next_number(Random& random) {
  std::array<std::uint8_t, sizeof(Number)> bytes{};
  random.fill(bytes);
  Number value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

std::uint32_t Random::next_u32() { return next_number<std::uint32_t>(*this); }

std::uint64_t Random::next_u64() { return next_number<std::uint64_t>(*this); }

void SystemRandom::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) std::abort();  // a kernel without entropy source: no key or nonce may be made
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace shingled
