#include "mime/fingerprint/spamsum.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <type_traits>

namespace shingled::fingerprint {
namespace {

constexpr std::uint8_t kHalf = Spamsum::kFirstMax / 2;

constexpr std::uint64_t block_size(unsigned level) { return Spamsum::kBlockSizeMin << level; }

/// 16 hashes in one vector. The upper two bits of each are never used and do not affect the others.
class Sixteen {
 public:
  /// h = 19 h ^ byte in each.
  void add(std::uint8_t byte) {
    const Bytes sixteenfold = reinterpret_cast<Bytes>(reinterpret_cast<Words>(bytes_) << 4) & 0xf0;
    bytes_ = (bytes_ + (bytes_ + bytes_) + sixteenfold) ^ byte;
  }
  void load(const std::uint8_t* from) { std::memcpy(&bytes_, from, sizeof bytes_); }
  void store(std::uint8_t* to) const { std::memcpy(to, &bytes_, sizeof bytes_); }

 private:
  using Bytes __attribute__((vector_size(16))) = std::uint8_t;
  using Words __attribute__((vector_size(16))) = std::uint16_t;
  Bytes bytes_;
};

Status take_letters(std::string_view text, std::size_t most, std::string& out) {
  if (text.size() > most) {
    return Error{ErrorCode::kInvalid,
                 "more than " + std::to_string(most) + " characters in a part of a signature"};
  }
  if (!std::ranges::all_of(text, is_piece_letter)) {
    return Error{ErrorCode::kInvalid, "a character that no signature has"};
  }
  out = text;
  return {};
}

/// odd * inverse = 1 mod 2^32. Each step of Newton's method doubles the number of correct bits.
constexpr std::uint32_t inverse_of(std::uint32_t odd) {
  std::uint32_t inverse = odd;  // correct in 3 bits
  for (int bits = 3; bits < 32; bits *= 2) inverse *= 2 - odd * inverse;
  return inverse;
}
static_assert(inverse_of(3) == 0xaaaaaaab);

}  // namespace

/// The hashes of the 12 smallest possible block sizes. Larger sizes have had no cut, so all of them
/// equal the last; and from the fifth on the halved form still equals the whole one.
class SpamsumHasher::FewLanes {
 public:
  static bool suffice(const SpamsumHasher& hasher) {
    const unsigned last = hasher.lowest_ + kSizes - 1;
    return last < kLanes && hasher.levels_[last].length == 0 &&
           hasher.levels_[hasher.lowest_ + kHalved].length < kHalf;
  }

  explicit FewLanes(const SpamsumHasher& hasher) { load(hasher); }
  void load(const SpamsumHasher& hasher) {
    std::array<std::uint8_t, kSizes + kHalved> bytes;
    std::memcpy(bytes.data(), hasher.hash_.data() + hasher.lowest_, kSizes);
    std::memcpy(bytes.data() + kSizes, hasher.half_hash_.data() + hasher.lowest_, kHalved);
    lanes_.load(bytes.data());
  }
  void add(std::uint8_t byte) { lanes_.add(byte); }
  void store(SpamsumHasher& hasher) const {
    std::array<std::uint8_t, kSizes + kHalved> bytes;
    lanes_.store(bytes.data());
    const auto at = hasher.hash_.begin() + hasher.lowest_;
    std::copy_n(bytes.begin(), kSizes, at);
    std::fill(at + kSizes, hasher.hash_.end(), bytes[kSizes - 1]);
    const auto half_at = hasher.half_hash_.begin() + hasher.lowest_;
    std::copy(at, hasher.hash_.end(), half_at);
    std::copy_n(bytes.begin() + kSizes, kHalved, half_at);
  }

 private:
  static constexpr unsigned kSizes = 12;
  static constexpr unsigned kHalved = 4;
  Sixteen lanes_;
};

/// The hashes of all block sizes.
class SpamsumHasher::AllLanes {
 public:
  explicit AllLanes(const SpamsumHasher& hasher) { load(hasher); }
  void load(const SpamsumHasher& hasher) {
    for (std::size_t i = 0; i < 2; ++i) {
      hash_[i].load(hasher.hash_.data() + 16 * i);
      half_hash_[i].load(hasher.half_hash_.data() + 16 * i);
    }
  }
  void add(std::uint8_t byte) {
    for (std::size_t i = 0; i < 2; ++i) {
      hash_[i].add(byte);
      half_hash_[i].add(byte);
    }
  }
  void store(SpamsumHasher& hasher) const {
    for (std::size_t i = 0; i < 2; ++i) {
      hash_[i].store(hasher.hash_.data() + 16 * i);
      half_hash_[i].store(hasher.half_hash_.data() + 16 * i);
    }
  }

 private:
  std::array<Sixteen, 2> hash_;
  std::array<Sixteen, 2> half_hash_;
};

Result<Spamsum> Spamsum::parse(std::string_view text) {
  text = text.substr(0, text.find(','));
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
  if (second == std::string_view::npos) {
    return Error{ErrorCode::kInvalid, "no signature: wanted blocksize:hash:hash"};
  }
  Spamsum out;
  const auto number = std::from_chars(text.data(), text.data() + first, out.block_size);
  const std::uint64_t powers = out.block_size / kBlockSizeMin;
  if (number.ec != std::errc() || number.ptr != text.data() + first ||
      out.block_size % kBlockSizeMin != 0 || !std::has_single_bit(powers) ||
      out.block_size > kBlockSizeMax) {
    return Error{ErrorCode::kInvalid, "the block size is not 3, 6, 12, ... 3221225472"};
  }
  if (auto good = take_letters(text.substr(first + 1, second - first - 1), kFirstMax, out.first);
      !good) {
    return good.error();
  }
  // The second part may have 64 characters, too, in the longer form of ssdeep.
  if (auto good = take_letters(text.substr(second + 1), kFirstMax, out.second); !good) {
    return good.error();
  }
  return out;
}

std::string Spamsum::text() const {
  return std::to_string(block_size) + ':' + first + ':' + second;
}

SpamsumHasher::SpamsumHasher() {
  hash_.fill(kPieceHashStart);
  half_hash_.fill(kPieceHashStart);
}

void SpamsumHasher::update(std::string_view bytes) {
  size_ += bytes.size();
  leave_out_small();
  while (!bytes.empty()) {
    const bool few = FewLanes::suffice(*this);
    bytes.remove_prefix(few ? run<FewLanes>(bytes) : run<AllLanes>(bytes));
  }
}

template <typename Lanes>
std::size_t SpamsumHasher::run(std::string_view bytes) {
  Lanes lanes(*this);
  RollingHash rolling = rolling_;
  unsigned lowest = lowest_;
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    const auto byte = static_cast<std::uint8_t>(bytes[taken++]);
    rolling.add(byte);
    lanes.add(byte);
    // R mod b = b - 1 for b = 3 * 2^n means: R + 1 is a multiple of 3 and of 2^n, but not 0. Only
    // then multiplying by the inverse of 3 gives its third, and rotating right by n bits a number
    // below the bound. One branch, rarely taken.
    const std::uint32_t third = (rolling.value() + 1) * 0xaaaaaaabU;
    if (std::rotr(third, static_cast<int>(lowest)) - 1 >= 0x55555555U >> lowest) continue;
    lanes.store(*this);
    cut(static_cast<unsigned>(std::countr_zero(third)));
    if (FewLanes::suffice(*this) != std::is_same_v<Lanes, FewLanes>) {
      rolling_ = rolling;
      return taken;
    }
    lanes.load(*this);
    lowest = lowest_;
  }
  lanes.store(*this);
  rolling_ = rolling;
  return taken;
}

void SpamsumHasher::cut(unsigned high) {
  for (unsigned i = lowest_; i <= std::min(high, kLevels - 1); ++i) {
    Level& level = levels_[i];
    level.digits[level.length] = hash_[i];
    level.half_tail = half_hash_[i];
    level.has_half_tail = true;
    if (level.length == Spamsum::kFirstMax - 1) {
      level.has_tail = true;  // the last piece lasts to the end
      continue;
    }
    ++level.length;
    hash_[i] = kPieceHashStart;
    if (level.length < kHalf) {
      half_hash_[i] = kPieceHashStart;
      level.has_half_tail = false;
    }
  }
  leave_out_small();
}

void SpamsumHasher::leave_out_small() {
  // Drop sizes that are too small for the data if the next larger one has enough characters.
  while (lowest_ + 1 < kLevels && block_size(lowest_) * Spamsum::kFirstMax < size_ &&
         levels_[lowest_ + 1].length >= kHalf) {
    ++lowest_;
  }
}

Spamsum SpamsumHasher::finish() const {
  unsigned at = lowest_;
  while (at + 1 < kLevels && block_size(at) * Spamsum::kFirstMax < size_) ++at;
  while (at > lowest_ && levels_[at].length < kHalf) --at;

  const bool tail = rolling_.value() != 0;
  Spamsum out;
  out.block_size = block_size(at);
  const Level& level = levels_[at];
  for (unsigned i = 0; i < level.length; ++i) out.first += piece_letter(level.digits[i]);
  if (tail) {
    out.first += piece_letter(hash_[at]);
  } else if (level.has_tail) {
    out.first += piece_letter(level.digits[level.length]);
  }
  const Level& next = levels_[at + 1];
  const unsigned length = std::min<unsigned>(next.length, kHalf - 1);
  for (unsigned i = 0; i < length; ++i) out.second += piece_letter(next.digits[i]);
  if (tail) {
    out.second += piece_letter(half_hash_[at + 1]);
  } else if (next.has_half_tail) {
    out.second += piece_letter(next.half_tail);
  }
  return out;
}

Spamsum spamsum(std::string_view bytes) {
  SpamsumHasher hasher;
  hasher.update(bytes);
  return hasher.finish();
}

SpamsumPartsHasher::SpamsumPartsHasher(std::uint64_t block_size) {
  const auto size =
      static_cast<std::uint32_t>(std::clamp(block_size, kPartBlockSizeMin, kPartBlockSizeMax));
  shift_ = std::countr_zero(size);
  inverse_ = inverse_of(size >> shift_);
  // R + 1 may be 2^32, which wraps to 0 and is a multiple of powers of two only. So 0 counts for
  // these and not for other sizes.
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
