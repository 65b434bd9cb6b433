#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/options/milter_options.h"
#include "milter/filter/mail_counters.h"
#include "milter/filter/memory_budget.h"
#include "milter/filter/scanner.h"
#include "milter/ratelimit/mail_limiter.h"

namespace shingled::milter::filter {

/// The milter protocol through libmilter: the one file that knows it. Turns its callbacks
/// into steps of a Session and its requests into an Mta.
///
/// libmilter is one per process, so is this. It owns a thread per connection and, against its
/// manual, would take SIGHUP, SIGTERM and SIGINT from us; see libmilter_overrides.h.
/// Threads: `run` on one thread, the others from any.
class MilterService {
 public:
  /// Binds the socket. A unix socket gets its mode and group; a stale one of a dead process is
  /// removed first.
  /// Errors: kUnavailable (in use), kDenied, kInvalid (path is no socket), each naming the socket.
  static Result<std::unique_ptr<MilterService>> open(const MilterOptions& options,
                                                     const CurrentScanner& scanner, Clock& clock,
                                                     Logger& logger, MailCounters& counters,
                                                     const ratelimit::CurrentLimiter& limiter,
                                                     std::shared_ptr<MemoryBudget> memory);
  ~MilterService();
  MilterService(const MilterService&) = delete;
  MilterService& operator=(const MilterService&) = delete;

  /// Serves until `stop`.
  /// Errors: libmilter gave up (its reason is in syslog).
  Status run();
  /// Waits until the messages that are under way now have ended or the deadline has passed, serving
  /// later ones too; then ends the analyses that are running, and answers every further step of an
  /// open connection by the failure policy until the process ends. Returns how many messages were
  /// cut off. Comes before `stop`.
  std::size_t drain(TimePoint deadline);
  /// Makes `run` return; nobody new is served. libmilter's threads are left to the end of the
  /// process: told to stop, it destroys locks and connections that they still use.
  void stop();
  /// Between MAIL and their end now.
  [[nodiscard]] std::size_t messages_under_way() const;

  class Impl;

 private:
  explicit MilterService(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::milter::filter
