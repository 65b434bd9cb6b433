#pragma once

#include <algorithm>
#include <cstddef>

namespace shingled::testing {

/// The number of keys in the fullest bucket of a standard hash table: a look-up compares with at
/// most this number of keys. For random keys it is small, even in a large table.
template <typename Table>
std::size_t longest_chain(const Table& table) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < table.bucket_count(); ++i)
    longest = std::max(longest, table.bucket_size(i));
  return longest;
}

inline constexpr std::size_t kChainByChance =
    16;  ///< exceeded with a probability of 10^-10 by 10 000 random keys

}  // namespace shingled::testing
