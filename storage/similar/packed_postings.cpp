#include "storage/similar/packed_postings.h"

#include <algorithm>

namespace shingled::storage::similar {

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
