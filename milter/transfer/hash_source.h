#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/result.h"
#include "storage/model/work_watcher.h"
#include "storage/redis/hashes/transfer.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::milter::transfer {

using TakeRow = std::function<Status(const storage::sqlite::FuzzyRow&)>;

/// The source of the hashes: their number, if known, and a walk over all of them.
struct HashSource {
  std::optional<std::uint64_t> total;
  std::function<Status(const TakeRow&)> read;
};

/// The file at one moment, also while others write to it: the header has the number of the rows
/// that follow.
Result<HashSource> read_file(const std::string& hashfile);

/// A Redis database, which others may write to meanwhile.
HashSource read_redis(const storage::redis::TransferOptions& options,
                      storage::redis::DumpReport& told, const storage::Watcher& watcher,
                      Clock& clock, Logger& logger);

}  // namespace shingled::milter::transfer
