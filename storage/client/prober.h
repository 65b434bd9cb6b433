#pragma once

#include <future>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "config/base/backoff.h"
#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/periodic_task.h"
#include "storage/client/name_lookup.h"
#include "storage/client/remote_store.h"

namespace shingled::storage::client {

/// One remote service in somebody's care.
struct ProbedService {
  std::string rule;  ///< its name in the log
  std::shared_ptr<RemoteStore> store;
};

/// What the remote services of a daemon need besides questions: names are looked up again, resting
/// servers probed, and the log told who went, who came back and how each server does.
///
/// Apart from the questions, so that no message waits for a name server or a lost one.
/// Threads: one thread.
/// Cost: nothing while all are well and no name is due.
class Prober {
 public:
  Prober(std::vector<ProbedService> services, Clock& clock, Logger& logger, NameLookup& lookup);

  /// One round: what is due now. May wait for a round of probes and for name servers, but for no
  /// further one after `stop`.
  void step(const std::stop_token& stop = {});
  /// A line for each server that has been asked since the last report.
  void report();

  static constexpr Duration kReportInterval = std::chrono::minutes(10);
  /// When a name that was not found is looked up again, but not later than the rule's
  /// resolve_interval.
  static constexpr Backoff kRetry{std::chrono::seconds(5), std::chrono::minutes(5)};

 private:
  struct Watched {
    ProbedService service;
    TimePoint next_look_up;
    std::set<std::string> lost_names{};
    std::uint32_t look_ups_failed = 0;         // in a row
    std::vector<ServerStatistics> seen{};      // at the last step
    std::vector<ServerStatistics> reported{};  // at the last report
  };

  void look_up(Watched& watched, TimePoint now, const std::stop_token& stop);
  void tell_changes(Watched& watched);

  std::vector<Watched> watched_;
  Clock& clock_;
  Logger& logger_;
  NameLookup& lookup_;
  TimePoint next_report_;
};

/// The thread that steps a Prober at once and then once a second, from construction to
/// destruction; at the end it reports once more. Its destruction waits for a look-up or a probe
/// under way.
class ProberThread {
 public:
  ProberThread(std::vector<ProbedService> services, Clock& clock, Random& random, Logger& logger);
  ~ProberThread();
  ProberThread(const ProberThread&) = delete;
  ProberThread& operator=(const ProberThread&) = delete;
  ProberThread(ProberThread&&) = delete;
  ProberThread& operator=(ProberThread&&) = delete;

  /// Begins no further look-up or probe; the destruction waits for less then.
  void request_stop() { task_->request_stop(); }
  /// Waits until each name that had no address has been looked up once, at most so long.
  void wait_for_names(std::chrono::milliseconds patience) { names_asked_.wait_for(patience); }

 private:
  void step(const std::stop_token& stop);

  SystemLookup lookup_;
  Prober prober_;
  bool has_stepped_ = false;  // the thread's
  std::promise<void> first_step_;
  std::future<void> names_asked_ = first_step_.get_future();
  std::optional<PeriodicTask> task_;  // last: it uses all of the above
};

}  // namespace shingled::storage::client
