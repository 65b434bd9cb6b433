#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mime/fingerprint/secret_hash.h"

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

/// An index from a gram to the sources that have it.
///
/// It has 256 segments, chosen by the high bits of the name of a gram. Each segment has packed
/// postings and recent ones: a sorted run and a short unsorted tail. A segment with many recent
/// postings is merged by itself. So a merge needs the memory of one segment only, and searches
/// work while it is prepared.
///
/// The name of a gram depends on a secret of the process. Without it a stranger could choose files
/// whose grams are all in one segment, and a merge would move all postings. Postings with the same
/// gram are always in one segment; while it is merged they need 8 bytes per source.
///
/// Threads: many readers at the same time, or one thread that changes it.
class GramIndex {
 public:
  static constexpr unsigned kGramBits = 30;
  /// For each source, whether it still counts. The next merge removes the other sources.
  using Alive = std::vector<bool>;

  /// `secret` is used only in the constructor.
  explicit GramIndex(const SecretHash& secret = SecretHash::of_process());

  /// Adds the grams of one source, each once. The number of the source must rise from call to call.
  void add(std::uint32_t source, std::span<const std::uint32_t> grams);
  /// Like `add`, but faster, for very many sources. Searches are slow until segments are merged.
  void load(std::uint32_t source, std::span<const std::uint32_t> grams);

  /// Calls `visit` with each source of the gram until it returns false. The order is not defined,
  /// and sources that no longer count are visited, too.
  template <typename Visit>
  void find(std::uint32_t gram, Visit&& visit) const {
    find_named(name_of(gram), visit);
  }
  /// The names of grams. If there are very many grams and they are sorted, the names are sorted,
  /// too, which is the order in memory.
  [[nodiscard]] std::vector<std::uint32_t> names_of(std::span<const std::uint32_t> grams) const;
  /// Like `find`, with the name of the gram.
  template <typename Visit>
  void find_named(std::uint32_t name, Visit&& visit) const;

  enum class Which { kFull, kAny };
  /// The first segment that should be merged; nullopt if there is none. kFull: one with many recent
  /// postings. kAny: one with any recent posting.
  [[nodiscard]] std::optional<std::size_t> to_merge(Which which) const;
  /// Builds the merged content of a segment. Does not change the index.
  [[nodiscard]] PackedPostings merged(std::size_t segment, const Alive& alive) const;
  /// Replaces the content of a segment. The index must not have changed since `merged`.
  void replace(std::size_t segment, PackedPostings packed);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  static constexpr unsigned kSegmentBits = 8;
  static constexpr unsigned kLowBits = kGramBits - kSegmentBits;
  static constexpr std::uint32_t kSegmentMask = (std::uint32_t{1} << kSegmentBits) - 1;
  static constexpr std::uint32_t kLowMask = (std::uint32_t{1} << kLowBits) - 1;
  struct Segment {
    PackedPostings packed;
    std::vector<Posting> recent;  ///< the first `sorted` ones are in order, then the tail
    std::size_t sorted = 0;
  };

  /// Maps grams to names, one to one within kGramBits. The low bits of the gram, xor the high bits
  /// of a product with the secret factor, are the segment; the high bits of the gram are the place
  /// in it. Two grams share a segment for at most one factor in 128 (Dietzfelbinger et al. 1997).
  [[nodiscard]] std::uint32_t name_of(std::uint32_t gram) const {
    const std::uint32_t low = gram >> kSegmentBits;
    const std::uint32_t product = low * factor_ >> (32 - kSegmentBits);
    return ((gram ^ product) & kSegmentMask) << kLowBits | low;
  }
  static void sort_tail(Segment& segment);

  std::uint32_t factor_;  ///< secret, odd
  std::array<Segment, std::size_t{1} << kSegmentBits> segments_;
  std::uint64_t size_ = 0;  ///< number of postings
};

template <typename Visit>
void GramIndex::find_named(std::uint32_t name, Visit&& visit) const {
  const Segment& segment = segments_[name >> kLowBits];
  const std::uint32_t low = name & kLowMask;
  if (!segment.packed.find(low, visit)) return;
  const auto sorted_end = segment.recent.begin() + static_cast<std::ptrdiff_t>(segment.sorted);
  for (auto at = std::lower_bound(segment.recent.begin(), sorted_end, make_posting(low, 0));
       at != sorted_end && gram_of(*at) == low; ++at) {
    if (!visit(source_of(*at))) return;
  }
  for (auto at = sorted_end; at != segment.recent.end(); ++at) {
    if (gram_of(*at) == low && !visit(source_of(*at))) return;
  }
}

}  // namespace shingled::storage::similar
