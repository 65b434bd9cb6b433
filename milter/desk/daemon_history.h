#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/replay/history_span.h"
#include "milter/view/json.h"

namespace shingled::milter::desk {

/// Which messages of a history are wanted; what is empty does not matter.
struct HistoryQuestion {
  replay::HistorySpan span;
  std::string from;       ///< an address or a part of one; "<>" = bounces
  std::string recipient;  ///< a part of an address
  std::string subject;    ///< a part
  std::string digest;     ///< the beginning of one
  std::string symbol;     ///< only messages with this evidence
  std::string action;     ///< "pass", "reject" ...
  std::string label;      ///< "spam", "ham", "none"
  std::size_t limit = 100;
};

/// The history of a daemon on another machine, over its API.
/// Errors:  those of DaemonClient.
/// Threads: one thread; waits.
class DaemonHistory {
 public:
  DaemonHistory(const Settings& settings, const Clock& clock)
      : settings_(settings), clock_(clock) {}

  /// Gives the messages that are wanted, at most `limit`, to `take` until it returns false: the
  /// newest first, in pages. Returns how many rows cannot be read there.
  Result<std::uint64_t> find(const HistoryQuestion& wanted,
                             const std::function<bool(const Json&)>& take) const;
  /// Every message of a name, with all that is known of it. Returns as `find`.
  Result<std::uint64_t> show(const std::string& name,
                             const std::function<bool(const Json&)>& take) const;

 private:
  const Settings& settings_;
  const Clock& clock_;
};

}  // namespace shingled::milter::desk
