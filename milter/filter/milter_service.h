#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/options/milter_options.h"
#include "milter/filter/mail_counters.h"
#include "milter/filter/scanner.h"
#include "milter/ratelimit/mail_limiter.h"

namespace shingled::milter {

/// The milter protocol through libmilter: the one file that knows it. Turns its callbacks into
/// steps of a Session and its requests into an Mta.
///
/// libmilter is one per process, so is this. It owns a thread per connection and, against its
/// manual, would take SIGHUP, SIGTERM and SIGINT from us; see milter_service.cpp.
/// Threads: `run` on one thread, the others from any.
class MilterService {
 public:
  /// Binds the socket. A unix socket gets its mode and group; a stale one of a dead process is
  /// removed first.
  /// Errors: kUnavailable (in use), kDenied, kInvalid (path is no socket), each naming the socket.
  static Result<std::unique_ptr<MilterService>> open(const MilterOptions& options,
                                                     const CurrentScanner& scanner, Clock& clock,
                                                     Logger& logger, MailCounters& counters,
                                                     const CurrentLimiter& limiter);
  ~MilterService();
  MilterService(const MilterService&) = delete;
  MilterService& operator=(const MilterService&) = delete;

  /// Serves until `stop`. Errors: libmilter gave up (its reason is in syslog).
  Status run();
  /// Waits until the messages that are under way now have ended or the deadline has passed, serving
  /// later ones too, then answers every further step with a temporary failure. Returns how many of
  /// them were cut off. Comes before `stop`.
  std::size_t drain(TimePoint deadline);
  /// Closes the socket and makes `run` return. Debian's libmilter has a crew of workers, and a
  /// connection that waits for its next command is then not served any more.
  void stop();
  /// Between MAIL and their end now.
  [[nodiscard]] std::size_t messages_under_way() const;

  class Impl;

 private:
  explicit MilterService(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::milter
