#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/metrics/metric_registry.h"
#include "config/options/settings.h"
#include "milter/daemon/daemon.h"
#include "milter/filter/mail_counters.h"
#include "milter/filter/memory_budget.h"
#include "milter/filter/milter_service.h"
#include "milter/filter/scanner.h"
#include "milter/process/file_limit.h"
#include "milter/process/log_sink.h"
#include "milter/process/pid_file.h"
#include "milter/ratelimit/limit_reloader.h"
#include "milter/similar/library_reloader.h"
#include "milter/status/http_server.h"
#include "milter/status/status_pages.h"
#include "storage/client/prober.h"
#include "storage/open_store.h"
#include "storage/replication/replication_service.h"
#include "storage/server/fuzzy_server.h"

namespace shingled::milter::daemon {

/// Everything that lives as long as the daemon, in the order of its making: what is below may use
/// what is above. Its beginning is in start.cpp, the rest of its life in serve.cpp.
/// Threads: main; the milter and a reload have a thread each.
class RunningDaemon {
 public:
  RunningDaemon(std::shared_ptr<const Settings> settings, const SettingsSource& source,
                process::LogSink& log, Clock& clock)
      : settings_(std::move(settings)),
        source_(source),
        log_(log),
        clock_(clock),
        memory_(std::make_shared<filter::MemoryBudget>(settings_->milter.memory_max)),
        limits_(clock, random_, log),
        similar_(clock, log),
        bucket_pages_([this] { return limits_.store(); }, clock),
        pages_(metrics_, clock, settings_->status.matches_max) {
    pages_.set_buckets(&bucket_pages_);
  }

  Status start();
  /// Whether `start` failed because a signal said stop.
  [[nodiscard]] bool stopped_early() const { return stopped_early_; }
  /// Signals until one says stop.
  /// Errors: the milter ended by itself.
  Status serve();
  void stop();

 private:
  /// As many descriptors as may be; what TCP gets of them is said in the log.
  void budget_files();
  /// The settings of the port, with no more connections than there are descriptors for.
  [[nodiscard]] ServerOptions server_options(const Settings& settings) const;
  Status start_storage();
  /// While the storage is loaded. False: a signal said stop.
  bool go_on_loading(std::uint64_t rows, std::uint64_t of);
  Status open_milter();
  Result<std::unique_ptr<filter::Scanner>> open_scanner(std::shared_ptr<const Settings> settings) {
    return filter::Scanner::open(std::move(settings), store_.get(), clock_, random_,
                                 similar_.library(), filter::Scanner::Names::kLater);
  }
  void use(std::shared_ptr<const filter::Scanner> scanner);
  Status start_status();
  /// Everything that is measured, once it is all there.
  void register_metrics();
  void reload();
  /// The same while the watchdog is fed.
  void reload_alive();
  void reopen_log();
  /// Where the rate limits of the port outlive a restart.
  [[nodiscard]] std::string limits_file() const {
    return settings_->storage.engine.hashfile + ".ratelimits";
  }

  std::shared_ptr<const Settings> settings_;
  const SettingsSource& source_;
  process::LogSink& log_;
  Clock& clock_;
  SystemRandom random_;
  process::PidFile pid_file_;
  process::FileBudget files_;
  MetricRegistry metrics_;
  filter::MailCounters mail_counters_;
  std::shared_ptr<filter::MemoryBudget> memory_;  // of the mail; libmilter's threads may outlive us
  std::unique_ptr<storage::FuzzyStore> store_;
  std::unique_ptr<storage::server::FuzzyServer> server_;
  std::unique_ptr<storage::replication::ReplicationService> replication_;
  ratelimit::LimitReloader limits_;
  similar::LibraryReloader similar_;
  std::unique_ptr<filter::CurrentScanner> scanner_;
  std::unique_ptr<storage::client::ProberThread>
      prober_;  // of the scanner's remote services, if any
  std::unique_ptr<filter::MilterService> milter_;
  std::vector<MetricRegistry::Registration> registrations_;
  status::BucketPages bucket_pages_;
  status::StatusPages pages_;
  std::unique_ptr<status::HttpServer> http_;
  bool stopped_early_ = false;
  bool reload_waits_ = false;  ///< a signal that came while the storage was loaded
  std::atomic<bool> milter_ended_{false};
  std::jthread milter_thread_;
};

}  // namespace shingled::milter::daemon
