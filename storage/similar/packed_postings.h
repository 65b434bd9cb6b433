#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shingled::storage::similar {

/// A gram and a source that has it. Ordered by gram, then by source.
using Posting = std::uint64_t;

constexpr Posting make_posting(std::uint32_t gram, std::uint32_t source) {
  return Posting{gram} << 32U | source;
}
constexpr std::uint32_t gram_of(Posting posting) {
  return static_cast<std::uint32_t>(posting >> 32U);
}
constexpr std::uint32_t source_of(Posting posting) { return static_cast<std::uint32_t>(posting); }

/// Many postings, sorted, in little memory, for good: a gram and its sources in a bit more than
/// what information theory asks for.
///
/// Elias-Fano: a posting is a number of gram and source. Its low bits stand in an array as they
/// are; the high bits are unary, one bit for each posting and one that ends each group of postings
/// with equal high bits. The low bits are so many that there are about as many groups as postings.
/// Every 128th group's place is noted.
///
/// Threads: never changes.
/// Cost: 2 to 3 bits a posting and the low ones, log2(range / number); `find` some 100 ns.
class PackedPostings {
 public:
  PackedPostings() = default;
  /// `sorted`: rising, each once, all of grams below 2^gram_bits.
  PackedPostings(std::span<const Posting> sorted, unsigned gram_bits);

  /// Calls `visit` with each source of the gram, rising, until it returns false. Returns whether it
  /// never did.
  template <typename Visit>
  bool find(std::uint32_t gram, Visit&& visit) const;
  /// All of them.
  [[nodiscard]] std::vector<Posting> unpack() const;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const {
    return (low_.capacity() + high_.capacity()) * sizeof(std::uint64_t) +
           groups_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint64_t kGroupsNoted = 128;
  struct Cursor {
    std::uint64_t index = 0;  ///< among the postings
    std::uint64_t bit = 0;    ///< among the high bits; bit - index is the group
  };

  [[nodiscard]] std::uint64_t low(std::uint64_t index) const;
  /// Where group `group` begins.
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t group) const;
  /// The next bit from `bit` on that is one, or is zero.
  [[nodiscard]] std::uint64_t next_one(std::uint64_t bit) const;
  [[nodiscard]] std::uint64_t next_zero(std::uint64_t bit) const;
  /// The first posting of the group of `number` that is no less; or behind the group.
  [[nodiscard]] Cursor seek(std::uint64_t number) const;

  std::size_t size_ = 0;
  unsigned source_bits_ = 0;
  unsigned low_bits_ = 0;
  std::vector<std::uint64_t> low_;
  std::vector<std::uint64_t> high_;
  std::vector<std::uint32_t> groups_;
};

template <typename Visit>
bool PackedPostings::find(std::uint32_t gram, Visit&& visit) const {
  if (size_ == 0) return true;
  const std::uint64_t end = (std::uint64_t{gram} + 1) << source_bits_;
  const std::uint64_t source_mask = (std::uint64_t{1} << source_bits_) - 1;
  for (Cursor at = seek(std::uint64_t{gram} << source_bits_); at.index < size_;
       ++at.index, ++at.bit) {
    at.bit = next_one(at.bit);
    const std::uint64_t number = (at.bit - at.index) << low_bits_ | low(at.index);
    if (number >= end) break;
    if (!visit(static_cast<std::uint32_t>(number & source_mask))) return false;
  }
  return true;
}

}  // namespace shingled::storage::similar
