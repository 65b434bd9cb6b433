#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "mime/fingerprint/rolling_hash.h"

namespace shingled::fingerprint {

/// A context triggered piecewise hash (J. Kornblum, "Identifying almost identical files using
/// context triggered piecewise hashing", 2006): `blocksize:first:second`, as ssdeep prints it.
///
/// The data is cut where a rolling hash R over the last 7 bytes hits R mod b = b - 1, on average
/// every b bytes, and each piece gives one character: 6 bits of an FNV-like hash h = 19 h xor byte.
/// What is inserted or removed changes the pieces it touches, and no others.
///
/// - b = 3 * 2^n: every cut of one block size is a cut of the next smaller one, too. `first` is of
///   b, `second` of 2 b, so that signatures of neighbouring block sizes can be compared.
/// - b is the least with 64 b >= size; while it gives less than 32 characters, the next smaller.
/// - `first` has at most 64 characters, `second` 32; the last one stands for all that follows.
/// - After the last cut one more character follows, for the tail, unless R is 0.
struct Spamsum {
  static constexpr std::size_t kFirstMax = 64;
  static constexpr std::size_t kSecondMax = 32;
  static constexpr std::uint64_t kBlockSizeMin = 3;
  static constexpr std::uint64_t kBlockSizeMax = std::uint64_t{3} << 30U;

  std::uint64_t block_size = kBlockSizeMin;
  std::string first;   ///< of "A-Za-z0-9+/"
  std::string second;  ///< the same data with twice the block size

  /// `text` up to its end or to a comma (where ssdeep puts the name of the file).
  /// Errors: kInvalid for a block size that is not 3 * 2^n, other characters, more of them than
  /// allowed.
  static Result<Spamsum> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Spamsum&, const Spamsum&) = default;
};

/// Makes the signature of data that comes in pieces; how it is cut into pieces does not matter.
///
/// All block sizes are followed at once, since the right one is known at the end only: the hashes
/// of all 31 sizes (and those of the halved signatures) stand side by side, and each byte moves all
/// of them in a few vector instructions. A size too small for what has come already is left out.
///
/// Threads: one thread an object.
/// Cost: some 5 KB, no allocation; a few nanoseconds a byte.
class SpamsumHasher {
 public:
  SpamsumHasher();
  void update(std::string_view bytes);
  /// The signature of everything so far; more may follow.
  [[nodiscard]] Spamsum finish() const;

 private:
  static constexpr unsigned kLevels = 31;
  static constexpr unsigned kLanes = 32;  ///< one more: what no cut has reached yet
  /// What one block size has given.
  struct Level {
    std::uint8_t length = 0;     ///< characters of `digits` that stand
    std::uint8_t half_tail = 0;  ///< last character of the halved form, if `has_half_tail`
    bool has_tail = false;       ///< digits[63] stands although length is 63
    bool has_half_tail = false;
    std::array<std::uint8_t, Spamsum::kFirstMax> digits{};
  };
  using Hashes = std::array<std::uint8_t, kLanes>;
  class FewLanes;
  class AllLanes;

  /// Takes bytes until the other kind of lanes does better. Returns how many.
  template <typename Lanes>
  std::size_t run(std::string_view bytes);
  /// Ends a piece at block sizes up to 3 * 2^high.
  void cut(unsigned high);
  void leave_out_small();
  RollingHash rolling_;
  std::uint64_t size_ = 0;
  unsigned lowest_ = 0;  ///< the smallest block size that may still be the one
  Hashes hash_;
  Hashes half_hash_;
  std::array<Level, kLanes> levels_{};
};

/// The signature of all of `bytes`.
Spamsum spamsum(std::string_view bytes);

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
