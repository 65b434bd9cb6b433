#include "storage/counters/sealed/prefix_code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <queue>
#include <utility>

#include "config/base/assert.h"

namespace shingled::storage::counters {

namespace {

/// The depths of Huffman's tree; 0 for a count of 0. At least two counts are not 0.
std::vector<std::uint8_t> huffman_lengths(const std::vector<std::uint64_t>& counts) {
  using Weight = std::pair<std::uint64_t, std::size_t>;  // count, node
  std::priority_queue<Weight, std::vector<Weight>, std::greater<>> open;
  std::vector<std::size_t> parents(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0) open.emplace(counts[i], i);
  while (open.size() > 1) {
    const Weight first = open.top();
    open.pop();
    const Weight second = open.top();
    open.pop();
    parents[first.second] = parents[second.second] = parents.size();
    open.emplace(first.first + second.first, parents.size());
    parents.push_back(0);
  }
  // A parent is after its children, so from the root downwards each depth is known.
  std::vector<std::uint8_t> depths(parents.size());
  for (std::size_t i = parents.size() - 1; i-- > 0;)
    if (i >= counts.size() || counts[i] != 0)
      depths[i] = static_cast<std::uint8_t>(depths[parents[i]] + 1);
  depths.resize(counts.size());
  return depths;
}

std::uint16_t reversed(std::uint32_t code, unsigned length) {
  std::uint32_t out = 0;
  for (unsigned i = 0; i < length; ++i, code >>= 1U) out = out << 1U | (code & 1U);
  return static_cast<std::uint16_t>(out);
}

}  // namespace

PrefixCode PrefixCode::of_counts(std::span<const std::uint64_t> counts) {
  SHINGLED_ASSERT(!counts.empty() && counts.size() <= kSymbolsMax);
  std::vector<std::uint64_t> weights(counts.begin(), counts.end());
  weights.push_back(1);  // the escape
  // A code needs two symbols.
  if (std::ranges::all_of(counts, [](std::uint64_t count) { return count == 0; })) weights[0] = 1;
  std::vector<std::uint8_t> lengths = huffman_lengths(weights);
  while (*std::ranges::max_element(lengths) > kLengthMax) {
    // Less steep counts make a less deep tree.
    for (std::uint64_t& weight : weights)
      if (weight != 0) weight = weight / 2 + 1;
    lengths = huffman_lengths(weights);
  }
  auto code = of_lengths(std::move(lengths));
  SHINGLED_ASSERT(code.has_value());
  return *std::move(code);
}

std::optional<PrefixCode> PrefixCode::of_lengths(std::vector<std::uint8_t> lengths) {
  if (lengths.size() < 2 || lengths.size() > kSymbolsMax + 1) return std::nullopt;
  const unsigned longest = *std::ranges::max_element(lengths);
  if (longest == 0 || longest > kLengthMax || lengths.back() == 0) return std::nullopt;
  std::array<std::uint32_t, kLengthMax + 1> symbols{};  // of each length
  for (const std::uint8_t length : lengths)
    if (length != 0) ++symbols[length];

  PrefixCode code;
  code.codes_.resize(lengths.size());
  code.table_.resize(std::size_t{1} << longest);
  code.table_mask_ = code.table_.size() - 1;
  std::uint32_t next = 0;
  for (unsigned length = 1; length <= longest; ++length) {
    next <<= 1U;
    if (next + symbols[length] > 1U << length) return std::nullopt;
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] != length) continue;
      code.codes_[symbol] = reversed(next++, length);
      for (std::size_t at = code.codes_[symbol]; at < code.table_.size();
           at += std::size_t{1} << length)
        code.table_[at] = static_cast<std::uint16_t>(symbol << kLengthBits | length);
    }
  }
  if (next != 1U << longest) return std::nullopt;
  code.lengths_ = std::move(lengths);
  return code;
}

void PrefixCode::write(std::size_t symbol, BitWriter& out) const {
  SHINGLED_DEBUG_ASSERT(symbol < escape());
  const std::size_t written = lengths_[symbol] != 0 ? symbol : escape();
  out.fixed(codes_[written], lengths_[written]);
  if (written == escape()) out.fixed(symbol, escaped_bits());
}

unsigned PrefixCode::escaped_bits() const {
  return static_cast<unsigned>(std::bit_width(escape() - 1));
}

std::size_t PrefixCode::read_escaped(BitReader& in) const {
  return std::min<std::size_t>(in.fixed(escaped_bits()), escape() - 1);
}

}  // namespace shingled::storage::counters
