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

/// Called on the loading thread with the number of rows read so far and the number of all rows.
/// False stops the loading. May be empty.
using LoadWatcher = std::function<bool(std::uint64_t rows, std::uint64_t of)>;

/// Loads the file into the empty index. A thread of its own reads the next 65,536 rows while this
/// thread adds the ones before. Progress goes to the log, one line per million rows.
///
/// `watcher` is called after every portion; if it returns false, loading ends.
///
/// Errors: those of the table; kCorrupt for a digest that is in the file twice; kLimit for more
/// rows than the index or the memory can hold; kUnavailable if the watcher ended it. After an error
/// the index must not be used.
Status load(sqlite::FuzzyTable& table, FuzzyIndex& index, const LoadWatcher& watcher,
            Logger& logger);

}  // namespace shingled::storage::engine
