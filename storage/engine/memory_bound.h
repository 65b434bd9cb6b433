#pragma once

#include <cstdint>

namespace shingled::storage::engine {

/// Upper limit of `hashes_max`. The index has a million numbers more than this: a record that gets
/// other shingles has two numbers for a moment, and numbers are given out in blocks of one kind.
inline constexpr std::uint64_t kHashesMax = 66'000'000;

/// The memory that this process may use, in bytes: the memory of the machine, or less if a resource
/// limit or its control groups say so.
std::uint64_t memory_allowed();

/// How many hashes fit into three quarters of that memory: at least 1000, at most kHashesMax.
std::uint64_t hashes_within(std::uint64_t memory_bytes);

}  // namespace shingled::storage::engine
