#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mime/fingerprint/secret_hash.h"
#include "storage/similar/packed_postings.h"

namespace shingled::storage::similar {

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
