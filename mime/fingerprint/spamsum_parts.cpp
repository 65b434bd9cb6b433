#include "mime/fingerprint/spamsum_parts.h"

#include <algorithm>
#include <bit>

namespace shingled::fingerprint {

namespace {

/// odd * inverse = 1 mod 2^32: each step of Newton's doubles the bits that are right.
constexpr std::uint32_t inverse_of(std::uint32_t odd) {
  std::uint32_t inverse = odd;  // right in 3 bits
  for (int bits = 3; bits < 32; bits *= 2) inverse *= 2 - odd * inverse;
  return inverse;
}
static_assert(inverse_of(3) == 0xaaaaaaab);

}  // namespace

SpamsumPartsHasher::SpamsumPartsHasher(std::uint64_t block_size) {
  const auto size =
      static_cast<std::uint32_t>(std::clamp(block_size, kPartBlockSizeMin, kPartBlockSizeMax));
  shift_ = std::countr_zero(size);
  inverse_ = inverse_of(size >> shift_);
  // R + 1 may be 2^32, which counts as 0: a multiple of powers of two alone. For these 0 is in, for
  // the others it is not.
  offset_ = std::has_single_bit(size) ? 0 : 1;
  bound_ = 0xffffffffU / size + (1 - offset_);
}

void SpamsumPartsHasher::update(std::string_view bytes) {
  RollingHash rolling = rolling_;
  std::uint8_t hash = hash_;
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    rolling.add(byte);
    hash = static_cast<std::uint8_t>(hash * 19U ^ byte);
    const std::uint32_t quotient = std::rotr((rolling.value() + 1) * inverse_, shift_);
    if (quotient - offset_ >= bound_) continue;
    pieces_ += piece_letter(hash);
    hash = kPieceHashStart;
  }
  rolling_ = rolling;
  hash_ = hash;
}

std::string SpamsumPartsHasher::finish() const {
  std::string out = pieces_;
  if (rolling_.value() != 0) out += piece_letter(hash_);
  return out;
}

std::string spamsum_parts(std::string_view bytes, std::uint64_t block_size) {
  SpamsumPartsHasher hasher(block_size);
  hasher.update(bytes);
  return hasher.finish();
}

}  // namespace shingled::fingerprint
