#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "config/base/assert.h"
#include "config/base/byte_reader.h"

namespace shingled::storage::counters {

// Bits, the lowest of each byte first, and numbers in them:
//   fixed   `width` bits
//   rice    the number without its lower `width` bits in unary (zeros and a one), then those bits
//   gamma   a number from 1: its length without the first bit in unary, then the bits after it

/// Appends bits to bytes.
/// Threads: one thread.
class BitWriter {
 public:
  explicit BitWriter(Bytes& out) : out_(out) {}

  void fixed(std::uint64_t value, unsigned width) {
    while (width > 0) {
      const unsigned taken = width < 32 ? width : 32;
      put(value & ((1ULL << taken) - 1), taken);
      value >>= taken;
      width -= taken;
    }
  }
  void unary(std::uint64_t zeros) {
    for (; zeros >= 32; zeros -= 32) put(0, 32);
    put(1ULL << zeros, static_cast<unsigned>(zeros) + 1);
  }
  void rice(std::uint64_t value, unsigned width) {
    unary(value >> width);
    fixed(value & ((1ULL << width) - 1), width);
  }
  void gamma(std::uint64_t value) {
    SHINGLED_DEBUG_ASSERT(value > 0);
    const unsigned length = 63U - static_cast<unsigned>(std::countl_zero(value | 1U));
    unary(length);
    fixed(value & ((1ULL << length) - 1), length);
  }
  /// Fills the last byte with zeros.
  void finish() {
    if (filled_ > 0) out_.push_back(static_cast<std::uint8_t>(bits_));
    bits_ = 0;
    filled_ = 0;
  }

 private:
  void put(std::uint64_t bits, unsigned width) {  // at most 33
    bits_ |= bits << filled_;
    for (filled_ += width; filled_ >= 8; filled_ -= 8) {
      out_.push_back(static_cast<std::uint8_t>(bits_));
      bits_ >>= 8U;
    }
  }

  Bytes& out_;
  std::uint64_t bits_ = 0;
  unsigned filled_ = 0;  ///< less than 8 between two calls
};

/// Reads bits of bytes that may be damaged. What is read after the end has no meaning, and `ok()`
/// is then false.
/// Threads: one thread.
class BitReader {
 public:
  /// `readable`: bytes that may be looked at, `bytes` and those after them. Eight more make it
  /// quicker; they are not taken for bits.
  explicit BitReader(BytesView bytes, std::size_t readable = 0)
      : bytes_(bytes), readable_(readable > bytes.size() ? readable : bytes.size()) {}

  std::uint64_t fixed(unsigned width) {
    std::uint64_t value = 0;
    unsigned got = 0;
    if (width > 32) {
      value = take(32);
      got = 32;
    }
    return value | take(width - got) << got;
  }
  /// Ends at the end of the bytes.
  std::uint64_t unary() {
    std::uint64_t zeros = 0;
    for (;;) {
      const std::uint64_t ahead = peek();
      if (ahead != 0) {
        const auto run = static_cast<unsigned>(std::countr_zero(ahead));
        at_ += run + 1;
        return zeros + run;
      }
      if (at_ >= bytes_.size() * 8) {
        at_ = std::numeric_limits<std::size_t>::max() / 2;
        return 0;
      }
      zeros += kAhead;
      at_ += kAhead;
    }
  }
  std::uint64_t rice(unsigned width) {
    const std::uint64_t ahead = peek();
    const auto run = static_cast<unsigned>(std::countr_zero(ahead));
    if (run + 1 + width <= kAhead) {  // all of it
      at_ += run + 1 + width;
      return std::uint64_t{run} << width | (ahead >> (run + 1) & ((1ULL << width) - 1));
    }
    const std::uint64_t upper = unary();
    return upper << width | fixed(width);
  }
  std::uint64_t gamma() {
    const std::uint64_t ahead = peek();
    if ((ahead & 1U) != 0) {  // most are 1
      ++at_;
      return 1;
    }
    const std::uint64_t length = unary();
    if (length >= 64) {
      at_ = std::numeric_limits<std::size_t>::max() / 2;
      return 1;
    }
    return 1ULL << length | fixed(static_cast<unsigned>(length));
  }
  void skip(std::uint64_t bits) { at_ += bits; }

  [[nodiscard]] bool ok() const { return at_ <= bytes_.size() * 8; }

  /// The next 56 bits; after the end there may be anything.
  [[nodiscard]] std::uint64_t peek() const {
    const std::size_t byte = at_ / 8;
    std::uint64_t ahead = 0;
    if (byte + sizeof ahead <= readable_) {
      std::memcpy(&ahead, bytes_.data() + byte, sizeof ahead);
    } else if (byte < readable_) {
      std::memcpy(&ahead, bytes_.data() + byte, readable_ - byte);
    }
    return ahead >> at_ % 8 & ((1ULL << kAhead) - 1);
  }

 private:
  static constexpr unsigned kAhead = 56;

  std::uint64_t take(unsigned width) {  // at most 32
    const std::uint64_t value = peek() & ((1ULL << width) - 1);
    at_ += width;
    return value;
  }

  BytesView bytes_;
  std::size_t readable_;
  std::size_t at_ = 0;  ///< in bits
};

/// A code in which frequent symbols are short: canonical Huffman codes of at most kLengthMax bits.
/// Symbols that never came when it was made are written after an escape.
/// Threads: a value.
/// Source:  COUNTERS.md section 5.
class PrefixCode {
 public:
  static constexpr unsigned kLengthMax = 12;
  static constexpr std::size_t kSymbolsMax = 2048;

  /// The code of no symbols.
  PrefixCode() = default;
  /// `counts`: how often each symbol comes; 1 to kSymbolsMax symbols.
  static PrefixCode of_counts(std::span<const std::uint64_t> counts);
  /// `lengths`: the bits of each symbol and then of the escape; 0 = after the escape.
  /// nullopt if that is not a complete code.
  static std::optional<PrefixCode> of_lengths(std::vector<std::uint8_t> lengths);

  [[nodiscard]] const std::vector<std::uint8_t>& lengths() const { return lengths_; }

  void write(std::size_t symbol, BitWriter& out) const;
  /// Always a symbol of the code, which must have symbols.
  [[nodiscard]] std::size_t read(BitReader& in) const {
    const std::uint16_t found = table_[in.peek() & table_mask_];
    in.skip(found & kLengthMask);
    const std::size_t symbol = found >> kLengthBits;
    return symbol == escape() ? read_escaped(in) : symbol;
  }

 private:
  static constexpr unsigned kLengthBits = 4;
  static constexpr std::uint16_t kLengthMask = (1U << kLengthBits) - 1;
  static_assert(kLengthMax <= kLengthMask && kSymbolsMax < 1U << (16 - kLengthBits));

  [[nodiscard]] std::size_t escape() const { return lengths_.size() - 1; }
  [[nodiscard]] unsigned escaped_bits() const;
  [[nodiscard]] std::size_t read_escaped(BitReader& in) const;

  std::vector<std::uint8_t> lengths_;
  std::vector<std::uint16_t> codes_;  ///< the first bit is the lowest
  std::vector<std::uint16_t> table_;  ///< of the next bits: symbol and length
  std::uint64_t table_mask_ = 0;
};

}  // namespace shingled::storage::counters
