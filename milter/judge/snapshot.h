#pragma once

#include <memory>

#include "config/base/current.h"
#include "milter/counters/message_counter.h"
#include "milter/history/history_recorder.h"
#include "milter/judge/scanner.h"
#include "milter/ratelimit/mail_limiter.h"

namespace shingled::milter::judge {

/// Everything that one message uses of the settings, taken once when it begins, so that a reload in
/// the middle of a message does not judge it by half of the new settings.
/// Threads: immutable.
struct Snapshot {
  std::shared_ptr<const Scanner> scanner;
  std::shared_ptr<const ratelimit::MailLimiter> limiter = {};    ///< null = no limits
  std::shared_ptr<const counters::MessageCounter> counter = {};  ///< null = nothing is counted
  /// Expired = no history. Weak, so that a message that is open at the shutdown does not keep the
  /// history from being written.
  std::weak_ptr<history::HistoryRecorder> history = {};
};

/// The snapshot in force.
using CurrentSnapshot = Current<const Snapshot>;

}  // namespace shingled::milter::judge
