#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/options/milter_options.h"
#include "milter/judge/snapshot.h"
#include "milter/mta/mail_counters.h"
#include "milter/mta/memory_budget.h"

namespace shingled::milter::mta {

/// The milter protocol; with libmilter_mta.h the only user of libmilter. Turns callbacks into steps
/// of a Session.
///
/// There can be only one per process, because libmilter has global state. libmilter has a thread
/// for each connection. Contrary to its manual it would also take SIGHUP, SIGTERM and SIGINT; see
/// libmilter_overrides.h.
/// Does not: change the body, the sender or the recipients of a message: it edits headers, asks the
/// MTA to quarantine, and replies.
/// Threads: `run` on one thread, the others on any.
class MilterService {
 public:
  /// Binds the socket. A unix socket gets its mode and group; one that a dead process has left is
  /// removed first.
  /// Errors: kUnavailable (in use), kDenied, kInvalid (the path is not a socket); each names the
  /// socket.
  static Result<std::unique_ptr<MilterService>> open(const MilterOptions& options,
                                                     const judge::CurrentSnapshot& current,
                                                     Clock& clock, Logger& logger,
                                                     MailCounters& counters,
                                                     std::shared_ptr<MemoryBudget> memory);
  ~MilterService();
  MilterService(const MilterService&) = delete;
  MilterService& operator=(const MilterService&) = delete;

  /// Serves until `stop`.
  /// Errors: kInternal (libmilter ended with an error; the reason is in syslog).
  Status run();
  /// Waits until all messages under way have ended or the deadline has passed. Later messages are
  /// served meanwhile. Then it ends running analyses; every further step of an open connection is
  /// answered by the failure policy until the process ends. Returns the number of messages that
  /// were cut off. Call it before `stop`.
  std::size_t drain(TimePoint deadline);
  /// Makes `run` return. The threads of libmilter stay until the process ends: smfi_stop would
  /// destroy locks and connections that they still use.
  void stop();
  /// The number of messages between their MAIL command and their end.
  [[nodiscard]] std::size_t messages_under_way() const;

  class Impl;

 private:
  explicit MilterService(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::milter::mta
