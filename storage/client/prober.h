#pragma once

#include <chrono>
#include <cstdint>
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

/// One remote service that a Prober looks after.
struct ProbedService {
  std::string rule;  ///< its name in the log
  std::shared_ptr<RemoteStore> store;
};

/// Looks after the remote services of a daemon: looks up names again, probes resting servers, and
/// logs which servers went away or came back and how each of them does.
///
/// This is separate from the questions, so that no message waits for a name server or for a server
/// that is away.
/// Threads: one thread.
/// Cost: nothing while all servers are healthy and no name is due.
class Prober {
 public:
  Prober(std::vector<ProbedService> services, Clock& clock, Logger& logger, NameLookup& lookup);

  /// Does everything that is due now. May wait for one round of probes and for name servers; after
  /// `stop` it begins no further look-up.
  void step(const std::stop_token& stop = {});
  /// Logs one line for each server that was asked since the last report.
  void report();

  static constexpr Duration kReportInterval = std::chrono::minutes(10);
  /// The pauses before a name that was not found is looked up again; never longer than the
  /// resolve_interval of the rule.
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

/// A thread that calls Prober::step at once and then once a second, from construction to
/// destruction. The destructor waits for a look-up or probe under way, then reports once more.
class ProberThread {
 public:
  ProberThread(std::vector<ProbedService> services, Clock& clock, Random& random, Logger& logger);
  ~ProberThread();
  ProberThread(const ProberThread&) = delete;
  ProberThread& operator=(const ProberThread&) = delete;
  ProberThread(ProberThread&&) = delete;
  ProberThread& operator=(ProberThread&&) = delete;

  /// Makes the thread begin no further round or look-up, so that the destructor waits less.
  void request_stop() { task_->request_stop(); }
  /// Waits until each name without an address has been looked up once, at most for `patience`.
  void wait_for_names(std::chrono::milliseconds patience) { names_asked_.wait_for(patience); }

 private:
  void step(const std::stop_token& stop);

  SystemLookup lookup_;
  Prober prober_;
  bool has_stepped_ = false;  // used by the thread only
  std::promise<void> first_step_;
  std::future<void> names_asked_ = first_step_.get_future();
  std::optional<PeriodicTask> task_;  // last: it uses all other members
};

}  // namespace shingled::storage::client
