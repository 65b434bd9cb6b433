#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/cli/history/history_commands.h"
#include "milter/view/json.h"

namespace shingled::milter::cli {

/// The history of a daemon on another machine, over its API.
/// Errors:  those of DaemonClient.
/// Threads: one thread; waits.
class DaemonHistory {
 public:
  DaemonHistory(const Settings& settings, const Clock& clock)
      : settings_(settings), clock_(clock) {}

  /// Gives the messages that are wanted, at most `limit`, to `take` until it returns false: the
  /// newest first, in pages. Returns how many rows cannot be read there.
  Result<std::uint64_t> find(const HistoryArguments& wanted,
                             const std::function<bool(const Json&)>& take) const;
  /// Every message of a name, with all that is known of it. Returns as `find`.
  Result<std::uint64_t> show(const std::string& name,
                             const std::function<bool(const Json&)>& take) const;

 private:
  const Settings& settings_;
  const Clock& clock_;
};

}  // namespace shingled::milter::cli
