#include "storage/similar/gram_index.h"

#include <utility>

namespace shingled::storage::similar {

namespace {

constexpr std::size_t kTailMax = 256;     // a search reads the tail one by one
constexpr std::size_t kRecentMin = 1024;  // with fewer a merge is not worth it
// A recent posting takes 8 bytes instead of about 3, so a 32nd of them needs 8 % more memory. Each
// posting is packed again about 32 times while the index doubles.
constexpr std::size_t kRecentShare = 32;
// The limit while loading, when no search waits. With it all 256 segments take up to 134 MB (2^16
// postings each). A lower limit means more merges: with 49152 a million files took 17 s instead of
// 13 s.
constexpr std::size_t kLoadedMin = 64'000;
constexpr std::size_t kLoadedShare = 8;

constexpr std::size_t kOrderedMin = 1024;  // for fewer grams sorting costs more than it saves

/// Sorts by gram only. Postings with equal grams keep their order, which is that of the sources.
void sort_by_gram(std::span<Posting> postings, unsigned gram_bits) {
  constexpr unsigned kDigitBits = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  std::vector<Posting> other(postings.size());
  std::span<Posting> from = postings;
  std::span<Posting> to = other;
  for (unsigned shift = 32; shift < 32 + gram_bits; shift += kDigitBits) {
    std::array<std::size_t, kDigits + 1> begins{};
    for (const Posting posting : from) ++begins[(posting >> shift) % kDigits + 1];
    for (std::size_t i = 1; i <= kDigits; ++i) begins[i] += begins[i - 1];
    for (const Posting posting : from) to[begins[(posting >> shift) % kDigits]++] = posting;
    std::swap(from, to);
  }
  if (from.data() != postings.data()) std::ranges::copy(from, postings.begin());
}

}  // namespace

GramIndex::GramIndex(const SecretHash& secret)
    : factor_(static_cast<std::uint32_t>(secret("GramIndex")) | 1U) {}

std::vector<std::uint32_t> GramIndex::names_of(std::span<const std::uint32_t> grams) const {
  std::vector<std::uint32_t> names(grams.size());
  if (grams.size() < kOrderedMin) {
    std::ranges::transform(grams, names.begin(), [&](std::uint32_t gram) { return name_of(gram); });
    return names;
  }
  // Sort by segment. Within a segment the names rise with the grams.
  std::array<std::uint32_t, kSegmentMask + 2> begins{};
  for (const std::uint32_t gram : grams) ++begins[(name_of(gram) >> kLowBits) + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  for (const std::uint32_t gram : grams) {
    const std::uint32_t name = name_of(gram);
    names[begins[name >> kLowBits]++] = name;
  }
  return names;
}

void GramIndex::add(std::uint32_t source, std::span<const std::uint32_t> grams) {
  load(source, grams);
  for (const std::uint32_t gram : grams) {
    Segment& segment = segments_[name_of(gram) >> kLowBits];
    if (segment.recent.size() - segment.sorted > kTailMax) sort_tail(segment);
  }
}

void GramIndex::load(std::uint32_t source, std::span<const std::uint32_t> grams) {
  for (const std::uint32_t gram : grams) {
    const std::uint32_t name = name_of(gram);
    segments_[name >> kLowBits].recent.push_back(make_posting(name & kLowMask, source));
  }
  size_ += grams.size();
}

void GramIndex::sort_tail(Segment& segment) {
  const auto tail = segment.recent.begin() + static_cast<std::ptrdiff_t>(segment.sorted);
  if (segment.recent.size() - segment.sorted > kTailMax * 4) {
    sort_by_gram({tail, segment.recent.end()}, kLowBits);
  } else {
    std::sort(tail, segment.recent.end());
  }
  std::inplace_merge(segment.recent.begin(), tail, segment.recent.end());
  segment.sorted = segment.recent.size();
}

std::optional<std::size_t> GramIndex::to_merge(Which which) const {
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    const std::size_t recent = segment.recent.size();
    const std::size_t packed = segment.packed.size();
    const bool loading = recent - segment.sorted > kTailMax;
    const std::size_t most = loading ? std::max(kLoadedMin, packed / kLoadedShare)
                                     : std::max(kRecentMin, packed / kRecentShare);
    if (which == Which::kAny ? recent > 0 : recent > most) return i;
  }
  return {};
}

PackedPostings GramIndex::merged(std::size_t number, const Alive& alive) const {
  const Segment& segment = segments_[number];
  Segment recent;
  recent.recent = segment.recent;
  recent.sorted = segment.sorted;
  sort_tail(recent);
  const std::vector<Posting> packed = segment.packed.unpack();
  std::vector<Posting> all(packed.size() + recent.recent.size());
  std::ranges::merge(packed, recent.recent, all.begin());
  std::erase_if(all, [&](Posting posting) { return !alive[source_of(posting)]; });
  return {all, kLowBits};
}

void GramIndex::replace(std::size_t number, PackedPostings packed) {
  Segment& segment = segments_[number];
  size_ -= segment.packed.size() + segment.recent.size() - packed.size();
  segment.packed = std::move(packed);
  segment.recent = std::vector<Posting>();  // frees the memory
  segment.sorted = 0;
}

std::uint64_t GramIndex::bytes() const {
  std::uint64_t bytes = sizeof *this;
  for (const Segment& segment : segments_)
    bytes += segment.packed.bytes() + segment.recent.capacity() * sizeof(Posting);
  return bytes;
}

}  // namespace shingled::storage::similar
