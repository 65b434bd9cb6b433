#include "mime/fingerprint/mumhash.h"

#include <bit>
#include <cassert>
#include <cstring>

namespace shingled::fingerprint {

static_assert(std::endian::native == std::endian::little,
              "words are loaded in the machine's order, which must be little-endian");

namespace {

constexpr std::size_t kLane = sizeof(std::uint64_t);
constexpr std::uint64_t kLanePrimes[] = {0x9ebdcae10d981691, 0x32b9b9b97a27ac7d, 0x29b5584d83d35bbd,
                                         0x4b04e0e61401255f};

/// The first `size` (up to 8) bytes as a little-endian integer.
std::uint64_t load(const char* data, std::size_t size = kLane) {
  std::uint64_t value = 0;
  std::memcpy(&value, data, size);
  return value;
}

/// Steps 3 and 4: up to four whole lanes and a rest of 0..7 bytes.
std::uint64_t mix_tail(std::string_view tail) {
  std::uint64_t mixed = 0;
  std::size_t lane = 0;
  for (; tail.size() >= kLane; tail.remove_prefix(kLane)) {
    mixed ^= mum(load(tail.data()), kLanePrimes[lane++]);
  }
  if (!tail.empty()) mixed ^= mum(load(tail.data(), tail.size()), kMumTailPrime);
  return mixed;
}

}  // namespace

std::uint64_t mumhash(std::string_view data, std::uint64_t seed) {
  std::uint64_t r = mum(seed + data.size(), kMumSeedPrime);
  while (data.size() > kMumWordBytesMax) {
    for (const std::uint64_t prime : kLanePrimes) {
      r ^= mum(load(data.data()), prime);
      data.remove_prefix(kLane);
    }
    r = mum(r, kMumUnrollPrime);
  }
  r ^= mix_tail(data);
  r ^= mum(r, kMumFinishPrime);
  r ^= mum(r, kMumTailPrime);
  return r;
}

MumWord mum_word(std::string_view word) {
  assert(word.size() <= kMumWordBytesMax);
  return {.mixed = mix_tail(word), .size = word.size()};
}

}  // namespace shingled::fingerprint
