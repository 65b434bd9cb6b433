#pragma once

#include <cstdint>
#include <functional>

namespace shingled::storage::engine {

/// Told how many rows of how many are read, on the thread that loads; false = stop. Empty = nobody.
using LoadWatcher = std::function<bool(std::uint64_t rows, std::uint64_t of)>;

}  // namespace shingled::storage::engine
