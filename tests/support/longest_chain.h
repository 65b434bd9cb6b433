#pragma once

#include <algorithm>
#include <cstddef>

namespace shingled::testing {

/// The keys in the fullest bucket of a hash table of the standard library: what a look-up compares
/// with at most. Of keys spread by chance it is a handful, however many there are.
template <typename Table>
std::size_t longest_chain(const Table& table) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < table.bucket_count(); ++i)
    longest = std::max(longest, table.bucket_size(i));
  return longest;
}

inline constexpr std::size_t kChainByChance = 16;  ///< 10^-10 for any of 10 000 keys

}  // namespace shingled::testing
