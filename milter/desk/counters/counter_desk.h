#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/http/http_call.h"

namespace shingled::milter::desk {

class CounterFolder;

/// Where the counters of the settings are asked for: in the running daemon (http.listen), which
/// also knows what Redis does not have yet; without one in Redis if they are shared, else in the
/// folder that it left.
/// Threads: one thread; waits.
class CounterDesk {
 public:
  /// `settings` and the others must outlive it.
  CounterDesk(const Settings& settings, Clock& clock, Random& random);
  ~CounterDesk();
  CounterDesk(const CounterDesk&) = delete;
  CounterDesk& operator=(const CounterDesk&) = delete;

  /// Asks for /api/1/counters. A body with status 200 goes to `take`.
  /// `patience`: for each wait for the daemon.
  /// Errors: kNotFound, kInvalid, kLimit, kUnavailable, kTimeout, kDenied: what is refused,
  ///         or nobody who has the counters; kCorrupt (an answer that is not HTTP, or is cut off);
  ///         those of `take`.
  Status send(const http::HttpCall& call, Duration patience, const http::HttpTaker& take);

  /// Whether there is something to ask: the counters are shared, a daemon has a status page, or the
  /// folder exists. It need not answer.
  [[nodiscard]] bool has_counters() const;

 private:
  Status ask_folder(const http::HttpCall& call, const http::HttpTaker& take);

  const Settings& settings_;
  Clock& clock_;
  Random& random_;
  std::unique_ptr<CounterFolder> folder_;  ///< null: not opened
};

}  // namespace shingled::milter::desk
