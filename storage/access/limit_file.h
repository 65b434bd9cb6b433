#pragma once

#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "storage/access/source_limits.h"

namespace shingled::storage::access {

/// The buckets of the rate limits as they outlive a restart.
struct SavedLimits {
  SourceKey key{};  ///< the sources' names depend on it
  std::uint32_t network_mask = 0;
  WallTime saved{};
  std::vector<LimitTable::Entry> entries;

  friend bool operator==(const SavedLimits&, const SavedLimits&) = default;
};

/// Writes them, readable by the owner alone; the file is whole or the old one.
/// Errors: kDenied, kUnavailable, kNotFound, naming the file.
Status save_limits(const std::string& path, const SavedLimits& limits);

/// Reads them. Of each entry the time that passed since they were saved is taken off, and who is
/// free by then is left out; none passed if the clock went back.
/// Errors: kNotFound (there is no file), kCorrupt (not ours, or damaged), kDenied, kUnavailable.
Result<SavedLimits> load_limits(const std::string& path, WallTime now);

}  // namespace shingled::storage::access
