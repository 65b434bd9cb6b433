#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "storage/counters/bit_stream.h"

namespace shingled::storage::counters {

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
