#pragma once

#include <cstdint>
#include <functional>

#include "config/base/logger.h"
#include "config/base/result.h"

namespace shingled::storage::sqlite {
class FuzzyTable;
}

namespace shingled::storage::engine {

class FuzzyIndex;

/// Told how many rows of how many are read, on the thread that loads; false = stop. Empty = nobody.
using LoadWatcher = std::function<bool(std::uint64_t rows, std::uint64_t of)>;

/// Replays the file into the empty index: a thread of its own reads some ten thousand rows while
/// this one adds those before. Progress goes to the log, a line each million rows.
///
/// `watcher` hears after every portion how far it is; false ends it.
///
/// Errors: those of the table; kCorrupt for a digest that stands there twice, kLimit for more rows
/// than the index or the memory can hold, kUnavailable where the watcher ended it. Then the index
/// is of no use.
Status load(sqlite::FuzzyTable& table, FuzzyIndex& index, const LoadWatcher& watcher,
            Logger& logger);

}  // namespace shingled::storage::engine
