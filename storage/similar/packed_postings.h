#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shingled::storage::similar {

/// A gram and a source that has it. Postings are ordered by gram, then by source.
using Posting = std::uint64_t;

constexpr Posting make_posting(std::uint32_t gram, std::uint32_t source) {
  return Posting{gram} << 32U | source;
}
constexpr std::uint32_t gram_of(Posting posting) {
  return static_cast<std::uint32_t>(posting >> 32U);
}
constexpr std::uint32_t source_of(Posting posting) { return static_cast<std::uint32_t>(posting); }

/// An immutable, sorted set of postings that uses little memory: a bit more than the theoretical
/// minimum.
///
/// The coding is Elias-Fano. A posting is a number made of gram and source. Its low bits are in an
/// array. The high bits are coded in unary: a 1 for each posting, and a 0 that ends each group of
/// postings with equal high bits. The number of low bits is chosen so that there are about as many
/// groups as postings. The position of each 128th group is stored.
///
/// Threads: immutable, any thread.
/// Cost: 2 to 3 bits per posting, plus the low bits, log2(range / number). `find`: some 100 ns.
class PackedPostings {
 public:
  PackedPostings() = default;
  /// `sorted`: in rising order, each posting once; all grams are below 2^gram_bits.
  PackedPostings(std::span<const Posting> sorted, unsigned gram_bits);

  /// Calls `visit` with each source of the gram, in rising order, until it returns false. Returns
  /// false if `visit` did.
  template <typename Visit>
  bool find(std::uint32_t gram, Visit&& visit) const;
  /// All postings.
  [[nodiscard]] std::vector<Posting> unpack() const;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const {
    return (low_.capacity() + high_.capacity()) * sizeof(std::uint64_t) +
           groups_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint64_t kGroupsNoted = 128;
  struct Cursor {
    std::uint64_t index = 0;  ///< of the posting
    std::uint64_t bit = 0;    ///< its 1 in the high bits; bit - index is the group
  };

  [[nodiscard]] std::uint64_t low(std::uint64_t index) const;
  /// The position in the high bits where a group begins.
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t group) const;
  /// The position of the first 1 (or 0) at or after `bit`.
  [[nodiscard]] std::uint64_t next_one(std::uint64_t bit) const;
  [[nodiscard]] std::uint64_t next_zero(std::uint64_t bit) const;
  /// The first posting not less than `number` in the group of `number`, else the end of that group.
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
