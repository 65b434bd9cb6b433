#include "milter/daemon/daemon.h"

#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <future>
#include <thread>
#include <utility>

#include "config/load_settings.h"
#include "config/metrics/metric_registry.h"
#include "milter/filter/milter_service.h"
#include "milter/filter/scanner.h"
#include "milter/process/allocator.h"
#include "milter/process/file_limit.h"
#include "milter/process/log_sink.h"
#include "milter/process/pid_file.h"
#include "milter/process/privileges.h"
#include "milter/process/restart_needed.h"
#include "milter/process/service_manager.h"
#include "milter/process/signals.h"
#include "milter/ratelimit/limit_reloader.h"
#include "milter/similar/library_reloader.h"
#include "milter/status/http_server.h"
#include "milter/status/status_pages.h"
#include "storage/client/client_report.h"
#include "storage/engine/engine.h"
#include "storage/open_store.h"
#include "storage/replication/replication_report.h"
#include "storage/replication/replication_service.h"
#include "storage/server/fuzzy_server.h"

namespace shingled::milter::daemon {

namespace {

constexpr std::chrono::milliseconds kSignalWait{1000};
/// So long the names of servers are waited for, so that the first mail finds them. A name server
/// that is away takes longer, and then mail does not wait.
constexpr std::chrono::seconds kNamesPatience{3};
/// A portion of a load takes about a second; on a machine that is very busy, or swaps, much longer.
constexpr std::chrono::seconds kLoadPatience{120};

/// How long the main thread may wait before it says that it is alive.
std::chrono::milliseconds alive_interval() {
  const auto watchdog = process::watchdog_interval();
  return watchdog ? std::min(kSignalWait, *watchdog / 2) : kSignalWait;
}

int exit_code(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalid:
    case ErrorCode::kNotFound:
      return EX_CONFIG;
    case ErrorCode::kCorrupt:
      return EX_DATAERR;
    case ErrorCode::kDenied:
      return EX_NOPERM;
    case ErrorCode::kLimit:
    case ErrorCode::kTimeout:
    case ErrorCode::kUnavailable:
      return EX_UNAVAILABLE;
    case ErrorCode::kInternal:
      return EX_SOFTWARE;
  }
  return EX_SOFTWARE;
}

/// Everything that lives as long as the daemon, in the order of its making: what is below may use
/// what is above.
class Daemon {
 public:
  Daemon(std::shared_ptr<const Settings> settings, const SettingsSource& source,
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

Status Daemon::start() {
  const DaemonOptions& options = settings_->daemon;
  budget_files();
  if (!options.pid_file.empty()) {
    auto pid_file = process::PidFile::create(options.pid_file);
    if (!pid_file) return pid_file.error();
    pid_file_ = *std::move(pid_file);
  }
  // The milter's socket may stand where only root may write; the storage's files must be the
  // user's. So the socket comes first and answers nobody until the storage is there.
  if (settings_->milter.enabled) {
    scanner_ = std::make_unique<filter::CurrentScanner>(nullptr);
    if (Status status = open_milter(); !status) return status;
  }
  if (Status status = process::drop_privileges(options); !status) return status;
  if (::geteuid() == 0) {
    log_.warning(LogLine("runs_as_root")
                     .field("why", "daemon.user names nobody else")
                     .field("risk", "a flaw in it would give away the whole machine"));
  }
  if (Status status = start_status(); !status) return status;
  if (settings_->storage.enabled) {
    if (Status status = start_storage(); !status) return status;
  }
  if (settings_->milter.enabled) {
    if (Status status = similar_.use(settings_->similar); !status) return status;
    auto scanner = open_scanner(settings_);
    if (!scanner) return scanner.error();
    use(*std::move(scanner));
    if (Status status = limits_.use(settings_->ratelimit); !status) return status;
    milter_thread_ = std::jthread([this] {
      const Status status = milter_->run();
      if (!status) log_.error(LogLine("milter_failed").field("error", status.error().message));
      milter_ended_ = true;
    });
  }
  register_metrics();
  LogLine line("started");
  line.field("version", SHINGLED_VERSION);
  line.field("milter", settings_->milter.enabled ? settings_->milter.socket.to_string() : "off");
  if (server_ != nullptr) {
    for (const SocketAddress& address : server_->addresses()) {
      line.field("storage", address.to_string());
    }
    if (settings_->storage.backend == Backend::kEmbedded) {
      line.field("hashfile", settings_->storage.engine.hashfile).field("hashes", store_->size());
    } else {
      line.field("backend", settings_->storage.backend == Backend::kRedis ? "redis" : "noop");
    }
  }
  if (http_ != nullptr) {
    for (const std::string& address : http_->addresses()) line.field("status", address);
  }
  log_.info(line);
  pages_.set_state(status::StatusPages::State::kServing);
  process::notify_ready("serving");
  return {};
}

void Daemon::budget_files() {
  const std::uint32_t wanted =
      settings_->storage.enabled ? settings_->storage.server.tcp_connections_max : 0;
  files_ = process::FileBudget::of(*settings_);
  files_.limit = process::raise_file_limit(files_.reserve + wanted);
  const std::uint32_t given = files_.connections(wanted);
  LogLine line("file_limit");
  line.field("descriptors", files_.limit).field("reserved", files_.reserve);
  line.field("tcp_connections_max", given);
  if (given == wanted) {
    log_.info(line);
  } else {
    log_.warning(line.field("wanted", wanted));
  }
}

ServerOptions Daemon::server_options(const Settings& settings) const {
  ServerOptions options = settings.storage.server;
  options.tcp_connections_max = files_.connections(options.tcp_connections_max);
  return options;
}

Status Daemon::start_storage() {
  auto store = storage::open_store(
      settings_->storage, clock_, random_, log_,
      [this](std::uint64_t rows, std::uint64_t of) { return go_on_loading(rows, of); });
  if (!store) return store.error();
  store_ = *std::move(store);
  auto server = storage::server::FuzzyServer::start(server_options(*settings_), *store_, clock_,
                                                    random_, log_, limits_file());
  if (!server) return server.error();
  server_ = *std::move(server);
  const ReplicationOptions& options = settings_->storage.replication;
  auto* engine =
      dynamic_cast<storage::engine::Engine*>(store_.get());  // other backends have no copies
  if (engine == nullptr || (options.masters.empty() && options.mirrors.empty())) return {};
  auto replication = storage::replication::ReplicationService::start(
      options, settings_->storage.engine.hashfile, *engine, clock_, random_, log_);
  if (!replication) return replication.error();
  replication_ = *std::move(replication);
  return {};
}

bool Daemon::go_on_loading(std::uint64_t rows, std::uint64_t of) {
  process::notify_starting(
      "loading " + std::to_string(rows) + " of " + std::to_string(of) + " hashes", kLoadPatience);
  const auto signal = process::wait_for_signal(std::chrono::milliseconds(0));
  if (signal == process::Signal::kReload) reload_waits_ = true;
  if (signal == process::Signal::kReopenLog) reopen_log();
  stopped_early_ = signal == process::Signal::kStop;
  return !stopped_early_;
}

Status Daemon::open_milter() {
  auto milter = filter::MilterService::open(settings_->milter, *scanner_, clock_, log_,
                                            mail_counters_, limits_.current(), memory_);
  if (!milter) return milter.error();
  milter_ = *std::move(milter);
  return {};
}

void Daemon::use(std::shared_ptr<const filter::Scanner> scanner) {
  prober_.reset();
  if (auto remotes = scanner->remotes(); !remotes.empty()) {
    prober_ =
        std::make_unique<storage::client::ProberThread>(std::move(remotes), clock_, random_, log_);
    prober_->wait_for_names(kNamesPatience);
  }
  scanner_->set(std::move(scanner));
}

/// Early, so that a load of the storage can be watched; after the change of user, because a unix
/// socket is the user's.
Status Daemon::start_status() {
  if (settings_->status.listen.empty()) return {};
  auto http = status::HttpServer::start(
      settings_->status,
      [this](const status::HttpRequest& request) { return pages_.answer(request); }, clock_);
  if (!http) return http.error();
  http_ = *std::move(http);
  return {};
}

void Daemon::register_metrics() {
  const auto add = [&](MetricRegistry::Source source) {
    registrations_.push_back(metrics_.add(std::move(source)));
  };
  if (store_ != nullptr) add([this](MetricReport& report) { store_->report(report); });
  if (server_ != nullptr) {
    add([this](MetricReport& report) { server_->report(report); });
  }
  if (replication_ != nullptr) {
    add([this](MetricReport& report) {
      storage::replication::report_replication(replication_->counters(), report);
    });
  }
  if (milter_ != nullptr) {
    add([this](MetricReport& report) {
      mail_counters_.report(report);
      memory_->report(report);
      limits_.report(report);
      similar_.report(report);
      report.gauge({"shingled_mail_under_way", "Messages between their beginning and their end."},
                   std::uint64_t{milter_->messages_under_way()});
      for (const storage::client::ProbedService& remote : scanner_->get()->remotes())
        storage::client::report_client(remote.rule, remote.store->statistics(), report);
    });
  }
  pages_.set_store(store_.get());
}

Status Daemon::serve() {
  if (std::exchange(reload_waits_, false)) reload();
  while (!milter_ended_) {
    const auto signal = process::wait_for_signal(alive_interval());
    process::notify_alive();
    if (server_ != nullptr) server_->refresh();
    if (milter_ != nullptr) limits_.refresh();
    if (signal == process::Signal::kStop) return {};
    if (signal == process::Signal::kReload) reload_alive();
    if (signal == process::Signal::kReopenLog) reopen_log();
  }
  return Error{ErrorCode::kUnavailable, "the milter service ended by itself"};
}

void Daemon::stop() {
  process::notify_stopping();
  log_.info(LogLine("stopping"));
  if (prober_ != nullptr)
    prober_->request_stop();  // a name server may take its time: with the mail
  pages_.set_state(status::StatusPages::State::kDraining);
  if (milter_ != nullptr) {
    const auto drain_time = scanner_->get()->settings().milter.drain_time;  // maybe of a reload
    const std::size_t cut_off = milter_->drain(clock_.now() + drain_time);
    if (cut_off > 0) log_.warning(LogLine("drain_incomplete").field("messages", cut_off));
    milter_->stop();
    milter_thread_.join();
  }
  prober_.reset();
  if (server_ != nullptr) server_->save_limits(limits_file());
  pages_.set_store(nullptr);
  registrations_.clear();
  limits_.close();
  similar_.close();
  server_.reset();  // first the packets, then what they wait for
  replication_.reset();
  store_.reset();
  http_.reset();
  log_.info(LogLine("stopped"));
}

void Daemon::reload_alive() {
  // Servers of rules are looked up by name, and a name server may take its time.
  const auto reloaded = std::async(std::launch::async, [this] { reload(); });
  while (reloaded.wait_for(alive_interval()) != std::future_status::ready) process::notify_alive();
}

void Daemon::reload() {
  process::notify_reloading();
  const auto problems_kept = [&](std::string_view what) {
    log_.error(LogLine("reload_failed").field("problem", what).field("settings", "unchanged"));
  };
  std::shared_ptr<const Settings> wanted = settings_;
  if (!source_.file.empty()) {
    const config::Loaded loaded = config::load_settings_file(source_.file, source_.overrides);
    for (const config::Problem& problem : loaded.problems) {
      if (problem.is_error()) {
        problems_kept(problem.to_string());
      } else {
        log_.warning(LogLine("config_warning").field("problem", problem.to_string()));
      }
    }
    wanted = loaded.settings;
  }
  if (wanted != nullptr && scanner_ != nullptr) {
    const Status similar = similar_.use(wanted->similar);
    auto scanner =
        similar ? open_scanner(wanted) : Result<std::unique_ptr<filter::Scanner>>(similar.error());
    const Status limited = scanner ? limits_.use(wanted->ratelimit) : Status(scanner.error());
    if (limited) {
      use(*std::move(scanner));
      memory_->set_max(wanted->milter.memory_max);
    } else {
      problems_kept(limited.error().message);
      wanted = nullptr;
    }
  }
  if (wanted != nullptr) {
    if (server_ != nullptr) server_->reload(server_options(*wanted));
    log_.set_level(wanted->daemon.log_level);
    for (const std::string& name : process::restart_needed(*settings_, *wanted)) {
      log_.warning(LogLine("reload_needs_restart").field("option", name));
    }
    log_.info(LogLine("reloaded").field("file", source_.file));
  }
  process::notify_ready("serving");
}

void Daemon::reopen_log() {
  const Status status = log_.reopen();
  if (status) {
    log_.info(LogLine("log_reopened"));
  } else {
    log_.error(LogLine("log_reopen_failed").field("error", status.error().message));
  }
}

/// The operator at the terminal sees it too when the log is a file.
int give_up(const Error& error, const DaemonOptions& options, Logger* log) {
  if (log != nullptr) log->error(LogLine("fatal").field("error", error.message));
  if (log == nullptr || !options.log_file.empty()) {
    std::fprintf(stderr, "shingled: %s\n", error.message.c_str());
  }
  return exit_code(error);
}

}  // namespace

int run_daemon(std::shared_ptr<const Settings> settings, const SettingsSource& source) {
  process::block_signals();
  process::return_large_blocks();
  const DaemonOptions options = settings->daemon;
  SystemClock clock;
  auto log = process::LogSink::open(options.log_file, options.log_level, clock, options);
  if (!log) return give_up(log.error(), options, nullptr);
  for (const config::Problem& warning : source.warnings) {
    (*log)->warning(LogLine("config_warning").field("problem", warning.to_string()));
  }
  Daemon daemon(std::move(settings), source, **log, clock);
  Status status = daemon.start();
  if (status) {
    status = daemon.serve();
    daemon.stop();
  } else if (daemon.stopped_early()) {
    (*log)->info(LogLine("stopped").field("reason", "a signal came while loading"));
    process::notify_stopping();
    status = {};
  }
  return status ? EX_OK : give_up(status.error(), options, log->get());
}

}  // namespace shingled::milter::daemon
