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

/// From a gram to the sources that have it.
///
/// 256 segments by the high bits of the gram's name, each with what is packed and what is new: a
/// sorted run and a short unsorted tail. A segment with much that is new is merged by itself, so
/// that a merge takes the memory of one segment, and is built beside while searches go on. Names
/// are grams spread with the secret of the process: whoever chooses files could fill one segment
/// with grams that are, and a merge would be of everything. What shares a gram shares a segment
/// all the same; that is 8 bytes a source while it is merged.
///
/// Threads: `find`, `merged` and the figures from many at once; changes from one alone.
class GramIndex {
 public:
  static constexpr unsigned kGramBits = 30;
  /// For each source whether it still counts; the others go with the next merge.
  using Alive = std::vector<bool>;

  /// `secret` is asked here alone.
  explicit GramIndex(const SecretHash& secret = SecretHash::of_process());

  /// The grams of one source, each once. Sources rise from call to call.
  void add(std::uint32_t source, std::span<const std::uint32_t> grams);
  /// As `add`, and quicker, for very many: searches are slow until segments are merged.
  void load(std::uint32_t source, std::span<const std::uint32_t> grams);

  /// Calls `visit` with each source of the gram, those that no longer count as well, in no order,
  /// until it returns false.
  template <typename Visit>
  void find(std::uint32_t gram, Visit&& visit) const {
    find_named(name_of(gram), visit);
  }
  /// Their names; of very many that rise, rising, which is the order they lie in.
  [[nodiscard]] std::vector<std::uint32_t> names_of(std::span<const std::uint32_t> grams) const;
  /// As `find`, by the name.
  template <typename Visit>
  void find_named(std::uint32_t name, Visit&& visit) const;

  enum class Which { kFull, kAny };
  /// The first segment that has so much new that it should be merged, or that has anything new.
  [[nodiscard]] std::optional<std::size_t> to_merge(Which which) const;
  /// What the segment will be.
  [[nodiscard]] PackedPostings merged(std::size_t segment, const Alive& alive) const;
  /// Puts it in the place of all the segment has. Nothing may have changed since `merged`.
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
    std::vector<Posting> recent;  ///< `sorted` in order, then the tail
    std::size_t sorted = 0;
  };

  /// Onto and back within kGramBits: the low bits of a gram and a product, whose high bits depend
  /// on all of the factor, say the segment, the high bits where in it. Two grams share a segment
  /// with one factor in 128 at most (Dietzfelbinger et al. 1997).
  [[nodiscard]] std::uint32_t name_of(std::uint32_t gram) const {
    const std::uint32_t low = gram >> kSegmentBits;
    const std::uint32_t product = low * factor_ >> (32 - kSegmentBits);
    return ((gram ^ product) & kSegmentMask) << kLowBits | low;
  }
  static void sort_tail(Segment& segment);

  std::uint32_t factor_;  ///< odd
  std::array<Segment, std::size_t{1} << kSegmentBits> segments_;
  std::uint64_t size_ = 0;  ///< postings
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
