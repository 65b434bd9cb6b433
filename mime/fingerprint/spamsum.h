#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/base/result.h"

namespace shingled::fingerprint {

inline constexpr std::string_view kSpamsumAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The start value of the hash h of a piece. Each byte sets h = 19 h ^ byte; only 6 bits count.
inline constexpr std::uint8_t kPieceHashStart = 0x28021967 & 0xff;

namespace detail {
constexpr std::array<std::uint8_t, 256> make_sextets() {
  std::array<std::uint8_t, 256> out{};
  for (std::size_t i = 0; i < kSpamsumAlphabet.size(); ++i)
    out[static_cast<std::uint8_t>(kSpamsumAlphabet[i])] = static_cast<std::uint8_t>(i);
  return out;
}
inline constexpr std::array<std::uint8_t, 256> kSextets = make_sextets();
}  // namespace detail

/// The 6 bits of a character; characters that no signature has count as 'A'.
inline std::uint8_t sextet_of(char letter) {
  return detail::kSextets[static_cast<std::uint8_t>(letter)];
}
/// Whether signatures may have this character.
inline bool is_piece_letter(char letter) {
  return sextet_of(letter) != 0 || letter == kSpamsumAlphabet.front();
}
inline char piece_letter(std::uint8_t hash) { return kSpamsumAlphabet[hash & 63U]; }

/// R, the hash of the last 7 bytes, which decides where pieces end: a sum, a sum weighted by age,
/// and a value that shifts older bytes out.
struct RollingHash {
  void add(std::uint8_t byte) {
    const auto oldest = static_cast<std::uint8_t>(window >> 48U);
    window = window << 8U | byte;
    weighted += std::uint32_t{7} * byte - sum;
    sum += std::uint32_t{byte} - oldest;
    shifted = shifted << 5U ^ byte;
  }
  [[nodiscard]] std::uint32_t value() const { return sum + weighted + shifted; }

  std::uint32_t sum = 0;
  std::uint32_t weighted = 0;
  std::uint32_t shifted = 0;
  std::uint64_t window = 0;  ///< the last 7 bytes, the newest lowest
};

/// A context triggered piecewise hash (J. Kornblum, "Identifying almost identical files using
/// context triggered piecewise hashing", 2006): `blocksize:first:second`, as ssdeep prints it.
///
/// The data is cut where a rolling hash R over the last 7 bytes has R mod b = b - 1, on average
/// every b bytes. Each piece gives one character: 6 bits of an FNV-like hash h = 19 h xor byte. An
/// insertion or removal changes only the pieces it touches.
///
/// - b = 3 * 2^n, so every cut of a block size is also a cut of the next smaller one. `first` uses
/// b
///   and `second` 2 b, so that signatures of neighbouring block sizes can be compared.
/// - b is the smallest with 64 b >= size; if it gives fewer than 32 characters, the next smaller
///   one, and so on.
/// - `first` has at most 64 characters, `second` 32; the last one covers all the rest.
/// - The tail after the last cut gives one more character, unless R is 0.
struct Spamsum {
  static constexpr std::size_t kFirstMax = 64;
  static constexpr std::uint64_t kBlockSizeMin = 3;
  static constexpr std::uint64_t kBlockSizeMax = std::uint64_t{3} << 30U;

  std::uint64_t block_size = kBlockSizeMin;
  std::string first;   ///< of "A-Za-z0-9+/"
  std::string second;  ///< the same data with twice the block size

  /// Parses `text` up to its end or to a comma, after which ssdeep writes the name of the file.
  /// Errors: kInvalid for a block size that is not 3 * 2^n, for invalid or too many characters.
  static Result<Spamsum> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Spamsum&, const Spamsum&) = default;
};

/// Makes the signature of data that comes in pieces of any size.
///
/// It follows all block sizes at once, as the right one is known only at the end. The hashes of all
/// 31 sizes (and of the halved signatures) are in one vector, and each byte updates all of them
/// with a few instructions. Sizes that are too small for the data so far are dropped.
///
/// Threads: one thread an object.
/// Cost: some 5 KB, no allocation; a few nanoseconds a byte.
class SpamsumHasher {
 public:
  SpamsumHasher();
  void update(std::string_view bytes);
  /// The signature of all data so far. More data may follow.
  [[nodiscard]] Spamsum finish() const;

 private:
  static constexpr unsigned kLevels = 31;
  static constexpr unsigned kLanes = 32;  ///< one more, for sizes without a cut so far
  /// The state of one block size.
  struct Level {
    std::uint8_t length = 0;     ///< final characters of `digits`
    std::uint8_t half_tail = 0;  ///< last character of the halved form, if `has_half_tail`
    bool has_tail = false;       ///< digits[63] is valid although length is 63
    bool has_half_tail = false;
    std::array<std::uint8_t, Spamsum::kFirstMax> digits{};
  };
  using Hashes = std::array<std::uint8_t, kLanes>;
  class FewLanes;
  class AllLanes;

  /// Takes bytes until the other kind of lanes is faster. Returns their number.
  template <typename Lanes>
  std::size_t run(std::string_view bytes);
  /// Ends a piece at block sizes up to 3 * 2^high.
  void cut(unsigned high);
  void leave_out_small();
  RollingHash rolling_;
  std::uint64_t size_ = 0;
  unsigned lowest_ = 0;  ///< the smallest block size still possible
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
/// size is given and the same for all data, and the number of characters is not limited: about
/// size / block_size. So data that two inputs share gives the same run of characters in both, and a
/// part can be found in the whole.
///
/// - A piece ends where R mod block_size = block_size - 1, R over the last 7 bytes.
/// - For the same bytes in two inputs all pieces are equal except the first (it begins elsewhere,
///   and a cut in the first 6 bytes may be missed) and the last (it ends elsewhere).
/// - The tail after the last cut gives one more character, unless R is 0.
///
/// Any block size is possible, not only 3 * 2^n; it is clamped to the limits above.
/// Threads: one thread an object.
/// Cost: a character a piece; a few nanoseconds a byte.
class SpamsumPartsHasher {
 public:
  explicit SpamsumPartsHasher(std::uint64_t block_size);
  /// The data may come in pieces of any size.
  void update(std::string_view bytes);
  /// The characters of all data so far. More data may follow.
  [[nodiscard]] std::string finish() const;

 private:
  // To see without a division whether R + 1 is a multiple of the block size = odd * 2^shift: only
  // multiples are small after multiplying by the inverse of `odd` and rotating right by `shift`.
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
