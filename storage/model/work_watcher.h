#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "config/base/result.h"

namespace shingled::storage {

/// The progress of one step of long work.
struct WorkDone {
  enum class Unit : std::uint8_t { kThings, kBytes };  ///< rows, hashes, pages; bytes of a file
  std::string_view step;                               ///< "copying", "reading rows", ...
  std::uint64_t done = 0;                              ///< in the unit of the step
  std::uint64_t total = 0;                             ///< 0 = not known
  Unit unit = Unit::kThings;
};

/// Called from time to time with the progress of long work. If it returns false, the work ends and
/// fails with `stopped()`.
using Watcher = std::function<bool(const WorkDone&)>;

/// The number of rows or lines between two calls of a Watcher.
inline constexpr std::uint64_t kWatchEvery = 4096;

inline Error stopped() { return {ErrorCode::kUnavailable, "stopped"}; }

}  // namespace shingled::storage
