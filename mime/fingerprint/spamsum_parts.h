#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "mime/fingerprint/rolling_hash.h"

namespace shingled::fingerprint {

/// The smallest and the largest block size of the free form.
inline constexpr std::uint64_t kPartBlockSizeMin = 3;
inline constexpr std::uint64_t kPartBlockSizeMax = std::uint64_t{1} << 30U;

/// The free form of a spamsum: one character ("A-Za-z0-9+/") a piece as in Spamsum, but the block
/// size is given and the same for all data, and there are as many characters as there are pieces:
/// some size / block_size. So what two data share is a run of characters in both, wherever it
/// stands, and a part is found in the whole.
///
/// - A piece ends where R mod block_size = block_size - 1, R over the last 7 bytes.
/// - Where both hold the same bytes, all pieces are the same but the first (it began elsewhere; a
///   cut within the first 6 bytes may be missed, too) and the last (it ends elsewhere).
/// - After the last cut one more character follows, for the tail, unless R is 0.
///
/// Any block size, not only 3 * 2^n; one outside the bounds above counts as the next that is not.
/// Threads: one thread an object.
/// Cost: a character a piece; a few nanoseconds a byte.
class SpamsumPartsHasher {
 public:
  explicit SpamsumPartsHasher(std::uint64_t block_size);
  /// The data may come in pieces of any size.
  void update(std::string_view bytes);
  /// The characters of everything so far; more may follow.
  [[nodiscard]] std::string finish() const;

 private:
  // Whether R + 1 is a multiple of the block size = odd * 2^shift, without a division: times the
  // inverse of `odd`, and turned right by `shift`, only multiples are small.
  std::uint32_t inverse_ = 0;
  int shift_ = 0;
  std::uint32_t offset_ = 0;
  std::uint32_t bound_ = 0;

  RollingHash rolling_;
  std::uint8_t hash_ = kPieceHashStart;
  std::string pieces_;
};

/// The free form of all of `bytes`.
std::string spamsum_parts(std::string_view bytes, std::uint64_t block_size);

}  // namespace shingled::fingerprint
