#include "mime/fingerprint/mumhash.h"

#include "config/base/assert.h"

namespace shingled::fingerprint {

namespace {

constexpr std::size_t kLane = sizeof(std::uint64_t);
constexpr std::uint64_t kLanePrimes[] = {0x9ebdcae10d981691, 0x32b9b9b97a27ac7d, 0x29b5584d83d35bbd,
                                         0x4b04e0e61401255f};

/// Steps 3 and 4: up to four whole lanes and a rest of 0..7 bytes.
std::uint64_t mix_tail(std::string_view tail) {
  std::uint64_t mixed = 0;
  std::size_t lane = 0;
  for (; tail.size() >= kLane; tail.remove_prefix(kLane)) {
    mixed ^= mum(load_bytes(tail.data()), kLanePrimes[lane++]);
  }
  if (!tail.empty()) mixed ^= mum(load_bytes(tail.data(), tail.size()), kMumTailPrime);
  return mixed;
}

}  // namespace

std::uint64_t mumhash(std::string_view data, std::uint64_t seed) {
  std::uint64_t r = mum(seed + data.size(), kMumSeedPrime);
  while (data.size() > kMumWordBytesMax) {
    for (const std::uint64_t prime : kLanePrimes) {
      r ^= mum(load_bytes(data.data()), prime);
      data.remove_prefix(kLane);
    }
    r = mum(r, kMumUnrollPrime);
  }
  r ^= mix_tail(data);
  r ^= mum(r, kMumFinishPrime);
  r ^= mum(r, kMumTailPrime);
  return r;
}

std::uint64_t mum_word(std::string_view word) {
  SHINGLED_DEBUG_ASSERT(word.size() <= kMumWordBytesMax);
  return mix_tail(word);
}

}  // namespace shingled::fingerprint
