#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "storage/access/source_limits.h"

namespace shingled::storage::access {

/// The buckets of the rate limits, as they are saved for a restart.
struct SavedLimits {
  SourceKey key{};  ///< the names of the sources depend on it
  std::uint32_t network_mask = 0;
  WallTime saved{};
  std::vector<LimitTable::Entry> entries;

  friend bool operator==(const SavedLimits&, const SavedLimits&) = default;
};

/// Writes the buckets to a file that only its owner can read. On an error the old file stays.
/// Errors: kDenied, kUnavailable, kNotFound, with the name of the file.
Status save_limits(const std::string& path, const SavedLimits& limits);

/// Reads the buckets. Subtracts the time since they were saved from each entry, and leaves out the
/// entries whose bucket is empty by now. Subtracts nothing if the clock was set back.
/// Errors: kNotFound (the file does not exist), kCorrupt (another kind of file, or damaged),
/// kDenied, kUnavailable.
Result<SavedLimits> load_limits(const std::string& path, WallTime now);

}  // namespace shingled::storage::access
