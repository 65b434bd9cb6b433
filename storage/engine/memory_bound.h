#pragma once

#include <cstdint>

namespace shingled::storage::engine {

/// The most that `hashes_max` may be. The index has a million numbers more: a record that gets
/// other shingles has two of them for a moment, and they are given in blocks of one kind.
inline constexpr std::uint64_t kHashesMax = 66'000'000;

/// What this process may use, in bytes: the machine's memory, or what a resource limit or its
/// control groups leave of it.
std::uint64_t memory_allowed();

/// How many hashes three quarters of so much memory hold; at least 1000, at most kHashesMax.
std::uint64_t hashes_within(std::uint64_t memory_bytes);

}  // namespace shingled::storage::engine
