#include "storage/similar/gram_index.h"

#include <algorithm>
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

PackedPostings::PackedPostings(std::span<const Posting> sorted, unsigned gram_bits)
    : size_(sorted.size()) {
  if (sorted.empty()) return;
  std::uint32_t sources = 0;
  for (const Posting posting : sorted) sources |= source_of(posting);
  source_bits_ = static_cast<unsigned>(std::bit_width(sources));
  const unsigned range_bits = gram_bits + source_bits_;
  const auto size_bits = static_cast<unsigned>(std::bit_width(sorted.size()));
  low_bits_ = range_bits > size_bits ? range_bits - size_bits : 0;
  const std::uint64_t groups = std::uint64_t{1} << (range_bits - low_bits_);

  low_.reserve((sorted.size() * low_bits_ + 63) / 64 + 1);  // one more, because `low` reads two
  high_.assign((sorted.size() + groups) / 64 + 1, 0);
  groups_.reserve(groups / kGroupsNoted + 1);
  const std::uint64_t low_mask = (std::uint64_t{1} << low_bits_) - 1;
  std::uint64_t word = 0;  // of low bits, filled from the lowest bit
  unsigned filled = 0;
  std::uint64_t noted = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::uint64_t number =
        std::uint64_t{gram_of(sorted[i])} << source_bits_ | source_of(sorted[i]);
    const std::uint64_t high = number >> low_bits_;
    for (; noted <= high; noted += kGroupsNoted)
      groups_.push_back(static_cast<std::uint32_t>(noted + i));
    high_[(high + i) / 64] |= std::uint64_t{1} << (high + i) % 64;
    const std::uint64_t low = number & low_mask;
    word |= low << filled;
    filled += low_bits_;
    if (filled < 64) continue;
    low_.push_back(word);
    filled -= 64;
    word = filled == 0 ? 0 : low >> (low_bits_ - filled);
  }
  for (; noted < groups; noted += kGroupsNoted)
    groups_.push_back(static_cast<std::uint32_t>(noted + sorted.size()));
  if (filled > 0) low_.push_back(word);
  low_.push_back(0);
}

std::vector<Posting> PackedPostings::unpack() const {
  std::vector<Posting> out;
  out.reserve(size_);
  const std::uint64_t source_mask = (std::uint64_t{1} << source_bits_) - 1;
  for (std::uint64_t word = 0; word < high_.size(); ++word) {
    for (std::uint64_t ones = high_[word]; ones != 0; ones &= ones - 1) {
      const std::uint64_t bit = word * 64 + static_cast<std::uint64_t>(std::countr_zero(ones));
      const std::uint64_t number = (bit - out.size()) << low_bits_ | low(out.size());
      out.push_back(make_posting(static_cast<std::uint32_t>(number >> source_bits_),
                                 static_cast<std::uint32_t>(number & source_mask)));
    }
  }
  return out;
}

std::uint64_t PackedPostings::low(std::uint64_t index) const {
  const std::uint64_t bit = index * low_bits_;
  const std::uint64_t word = bit / 64;
  const std::uint64_t shift = bit % 64;
  const std::uint64_t above = shift == 0 ? 0 : low_[word + 1] << (64 - shift);
  return (low_[word] >> shift | above) & ((std::uint64_t{1} << low_bits_) - 1);
}

std::uint64_t PackedPostings::begin_of(std::uint64_t group) const {
  std::uint64_t bit = groups_[group / kGroupsNoted];
  for (std::uint64_t zeros = group % kGroupsNoted; zeros > 0;) {
    std::uint64_t word = ~high_[bit / 64] >> bit % 64 << bit % 64;
    const auto here = static_cast<std::uint64_t>(std::popcount(word));
    if (here < zeros) {
      zeros -= here;
      bit = (bit / 64 + 1) * 64;
      continue;
    }
    for (; zeros > 1; --zeros) word &= word - 1;
    return bit / 64 * 64 + static_cast<std::uint64_t>(std::countr_zero(word)) + 1;
  }
  return bit;
}

std::uint64_t PackedPostings::next_one(std::uint64_t bit) const {
  std::uint64_t at = bit / 64;
  std::uint64_t word = high_[at] >> bit % 64 << bit % 64;
  while (word == 0) word = high_[++at];
  return at * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
}

std::uint64_t PackedPostings::next_zero(std::uint64_t bit) const {
  std::uint64_t at = bit / 64;
  std::uint64_t word = ~high_[at] >> bit % 64 << bit % 64;
  while (word == 0) word = ~high_[++at];
  return at * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
}

PackedPostings::Cursor PackedPostings::seek(std::uint64_t number) const {
  const std::uint64_t group = number >> low_bits_;
  const std::uint64_t begin = begin_of(group);
  const std::uint64_t wanted = number & ((std::uint64_t{1} << low_bits_) - 1);
  // Binary search, because a group is long if many sources share a gram.
  std::uint64_t first = begin - group;
  std::uint64_t count = next_zero(begin) - begin;
  while (count > 0) {
    const std::uint64_t half = count / 2;
    if (low(first + half) < wanted) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return {first, first + group};
}

}  // namespace shingled::storage::similar
