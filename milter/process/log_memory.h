#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"

namespace shingled::milter::process {

/// The last lines of the log that a person should see: warnings and errors. Equal lines count as
/// one.
/// Threads: any thread.
class LogMemory {
 public:
  static constexpr std::size_t kLinesMax = 50;

  struct Line {
    WallTime time{};  ///< of the last of equal ones
    LogLevel level = LogLevel::kWarning;
    std::string text;
    std::uint64_t times = 1;
    friend bool operator==(const Line&, const Line&) = default;
  };

  /// Lines of other levels are not kept.
  void take(LogLevel level, std::string_view text, WallTime now);
  /// The newest first.
  [[nodiscard]] std::vector<Line> lines() const;

 private:
  mutable Guarded<std::vector<Line>> lines_;  ///< the newest is the last
};

}  // namespace shingled::milter::process
