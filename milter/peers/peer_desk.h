#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/options/history_options.h"
#include "milter/api/messages/peer_messages.h"

namespace shingled::milter::peers {

/// Asks the other daemons of `history.peers`, all at the same time.
/// Threads: any thread; waits, with a thread of its own for each of them.
class PeerDesk {
 public:
  /// Who has not answered as a whole by then is missing. A name that a name server does not know in
  /// time may take longer.
  static constexpr std::chrono::seconds kPatience{4};
  static constexpr std::size_t kAnswerBytesMax = 16UL * 1024 * 1024;

  /// `clock` must outlive it.
  explicit PeerDesk(const Clock& clock) : clock_(clock) {}

  void use(const HistoryOptions& options) { *options_.lock() = options; }
  /// One answer for each of them, in the order of the settings.
  [[nodiscard]] std::vector<api::PeerAnswer> ask(const std::string& target) const;

 private:
  [[nodiscard]] Result<std::string> ask_one(const HistoryOptions& options, const std::string& url,
                                            const std::string& target, TimePoint deadline) const;

  const Clock& clock_;
  mutable Guarded<HistoryOptions> options_;
};

}  // namespace shingled::milter::peers
