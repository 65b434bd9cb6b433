#pragma once

#include <condition_variable>
#include <cstdint>
#include <optional>
#include <string>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/promotions/decision_file.h"

namespace shingled::milter::promotion {

/// Takes what people decide about rules while the daemon runs, and keeps it in a file beside the
/// history. It changes no rule: it says when there is something to put in force (take_change), and
/// the settings that are read again have it (config/promotions).
/// Threads: any thread.
class DecisionDesk {
 public:
  explicit DecisionDesk(Logger& logger) : logger_(logger) {}

  /// The file of the settings in force. One that cannot be read is set aside, and the log says
  /// so: no rule stays in force that nobody can see.
  void use(const std::string& file);
  [[nodiscard]] config::RuleDecisions decisions() const;

  /// Keeps a decision, or with nullopt forgets the one about the rule of this name: it is on the
  /// disk then. Waits until it is in force, at most until `patience` is over.
  /// Errors:  kUnavailable (it is not in force yet, no settings are in use, or it cannot be kept:
  ///          then nothing changed), kDenied, kLimit.
  Status decide(const std::string& rule, const std::optional<config::RuleDecision>& decision,
                Duration patience);

  /// The number of a change that is to be put in force; nullopt: there is none since the last call.
  std::optional<std::uint64_t> take_change();
  /// It was done; `good`: it worked.
  void put_in_force(std::uint64_t change, bool good);
  /// Nobody waits any more.
  void close();

 private:
  Logger& logger_;
  mutable Mutex mutex_;
  std::condition_variable_any done_;
  std::string file_ SHINGLED_GUARDED_BY(mutex_);
  config::RuleDecisions decisions_ SHINGLED_GUARDED_BY(mutex_);
  std::uint64_t wanted_ SHINGLED_GUARDED_BY(mutex_) = 0;  ///< the last change
  std::uint64_t taken_ SHINGLED_GUARDED_BY(mutex_) = 0;
  std::uint64_t in_force_ SHINGLED_GUARDED_BY(mutex_) = 0;
  bool closed_ SHINGLED_GUARDED_BY(mutex_) = false;
  bool good_ SHINGLED_GUARDED_BY(mutex_) = true;
  Mutex writing_;  ///< one decision at a time; before `mutex_`
};

}  // namespace shingled::milter::promotion
