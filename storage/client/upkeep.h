#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "storage/client/name_lookup.h"
#include "storage/client/remote_store.h"

namespace shingled::storage {

/// One remote service in somebody's care.
struct RemoteCharge {
  std::string rule;  ///< its name in the log
  std::shared_ptr<RemoteStore> store;
};

/// What the remote services of a daemon need besides questions: names are looked up again, resting
/// servers probed, and the log told who went, who came back and how each server does.
///
/// Apart from the questions, so that no message waits for a name server or a lost one.
/// Threads: one thread. Cost: nothing while all are well and no name is due.
class RemoteUpkeep {
 public:
  RemoteUpkeep(std::vector<RemoteCharge> charges, Clock& clock, Logger& logger, NameLookup& lookup);

  /// One round: what is due now. May wait for a round of probes and for name servers.
  void step();
  /// A line for each server that has been asked since the last report.
  void report();

  static constexpr Duration kReportInterval = std::chrono::minutes(10);

 private:
  struct Ward {
    RemoteCharge charge;
    TimePoint next_look_up;
    bool name_is_lost = false;
    std::vector<ServerStatistics> seen{};      // at the last step
    std::vector<ServerStatistics> reported{};  // at the last report
  };

  void look_up(Ward& ward, TimePoint now);
  void tell_changes(Ward& ward);

  std::vector<Ward> wards_;
  Clock& clock_;
  Logger& logger_;
  NameLookup& lookup_;
  TimePoint next_report_;
};

/// The thread that steps a RemoteUpkeep once a second, from construction to destruction; at the end
/// it reports once more. Its destruction waits for a step under way.
class UpkeepThread {
 public:
  UpkeepThread(std::vector<RemoteCharge> charges, Clock& clock, Random& random, Logger& logger);
  ~UpkeepThread();
  UpkeepThread(const UpkeepThread&) = delete;
  UpkeepThread& operator=(const UpkeepThread&) = delete;
  UpkeepThread(UpkeepThread&&) = delete;
  UpkeepThread& operator=(UpkeepThread&&) = delete;

 private:
  void run(const std::stop_token& stop);

  SystemLookup lookup_;
  RemoteUpkeep upkeep_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace shingled::storage
