#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "config/options/message_memory.h"
#include "config/promotions/decision_file.h"
#include "milter/daemon/running_daemon.h"
#include "milter/page/page_routes.h"
#include "milter/process/privileges.h"
#include "milter/process/process_control.h"
#include "milter/process/process_metrics.h"
#include "storage/client/upstreams.h"
#include "storage/replication/replication_counters.h"

namespace shingled::milter::daemon {

namespace {

/// How long the start waits for the addresses of servers, so that they are known for the first
/// mail. If a name server does not answer in this time, mail is served without these addresses.
constexpr std::chrono::seconds kNamesPatience{3};
/// The longest time for one step of loading. Usually a step takes about a second, but much longer
/// on a machine that is very busy or swaps.
constexpr std::chrono::seconds kLoadPatience{120};

}  // namespace

Status RunningDaemon::start() {
  const DaemonOptions& options = settings_->daemon;
  budget_files();
  if (!options.pid_file.empty()) {
    auto pid_file = process::PidFile::create(options.pid_file);
    if (!pid_file) return pid_file.error();
    pid_file_ = *std::move(pid_file);
  }
  // The socket of the milter may be in a folder where only root may write, but the files of the
  // storage must belong to daemon.user. So the socket is opened first, but nothing is served on it
  // until the storage is ready.
  if (settings_->milter.enabled) {
    if (Status status = open_milter(); !status) return status;
  }
  if (Status status = process::drop_privileges(options); !status) return status;
  if (::geteuid() == 0) {
    log_.warning(LogLine("runs_as_root")
                     .field("why", "daemon.user does not name another user")
                     .field("risk", "a flaw in it would give away the whole machine"));
  }
  if (Status status = start_http(); !status) return status;
  if (settings_->storage.enabled) {
    if (Status status = start_storage(); !status) return status;
  }
  auto rules = read_policy(*settings_);
  if (!rules) return rules.error();
  use(policy_of(**rules));
  counters_.connect(
      [persons = persons_](std::string_view address) { return persons->person_of(address); });
  use_counters(*settings_);
  reports_.connect({.store = store_.get(),
                    .counters = [this] { return counters_.store(); },
                    .people = [this] { return counters_.people(); },
                    .site = [this] { return counters_.site(); },
                    .label =
                        [this](std::uint64_t message, std::optional<reports::ReportKind> kind) {
                          label(message, kind);
                          // Once it is acknowledged, nobody reports it again. A failure is logged.
                          static_cast<void>(write_history());
                        }});
  reports_.use(settings_);
  peer_desk_.use(settings_->history);
  if (settings_->milter.enabled) {
    history_.use(settings_->history, settings_->counters);
    promoter_.use(settings_, *rules);
    decisions_.use(config::decision_file(settings_->history));
    in_force_.set(std::make_shared<const InForce>(InForce{settings_, *rules}));
    model_.use(settings_);
    auto library = similar_.open(settings_->similar);
    if (!library) return library.error();
    similar_.use(*std::move(library));
    use_lists(*settings_);
    auto scanner = open_scanner(settings_, similar_.library(), policy_);
    if (!scanner) return scanner.error();
    use(*std::move(scanner));
    if (Status status = limits_.use(settings_->ratelimit); !status) return status;
    publish();
    milter_thread_ = std::jthread([this] {
      const Status status = milter_->run();
      if (!status) log_.error(LogLine("milter_failed").field("error", status.error().message));
      milter_ended_ = true;
    });
  }
  if (settings_->milter.enabled) {
    promoter_.start();
    model_.start();
  }
  if (Status status = start_home(); !status) return status;
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
  if (counters_.store() != nullptr) {
    line.field("counters", settings_->counters.shared.enabled()
                               ? "redis"
                               : settings_->counters.embedded.directory);
  }
  if (settings_->reports.enabled) {
    // Names of reporters without a domain belong to it.
    const std::string& domain = settings_->reports.domain;
    line.field("reports_domain", domain.empty() ? reports::mail_domain_of_machine() : domain);
  }
  if (http_ != nullptr) {
    for (const std::string& address : http_->addresses()) line.field("http", address);
  }
  log_.info(line);
  system_resource_.set_state(api::SystemResource::State::kServing);
  process::notify_ready("serving");
  return {};
}

void RunningDaemon::use_counters(const Settings& settings) {
  counters_.use(settings.counters, settings.milter.actions, counter_needs(settings),
                reports::weights_of(settings.reports));
  persons_->use(settings.reports, counters_.site());
}

void RunningDaemon::budget_files() {
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

ServerOptions RunningDaemon::server_options(const Settings& settings) const {
  ServerOptions options = settings.storage.server;
  options.tcp_connections_max = files_.connections(options.tcp_connections_max);
  return options;
}

Status RunningDaemon::start_storage() {
  auto store = storage::open_store(
      settings_->storage, clock_, random_, log_,
      [this](std::uint64_t rows, std::uint64_t of) { return go_on_loading(rows, of); });
  if (!store) return store.error();
  store_ = std::move(store->store);
  engine_ = store->engine;
  auto server = storage::server::FuzzyServer::start(server_options(*settings_), *store_, clock_,
                                                    random_, log_, limits_file());
  if (!server) return server.error();
  server_ = *std::move(server);
  const ReplicationOptions& options = settings_->storage.replication;
  if (store->engine == nullptr || (options.masters.empty() && options.mirrors.empty())) return {};
  auto replication = storage::replication::ReplicationService::start(
      options, settings_->storage.engine.hashfile, *store->engine, clock_, random_, log_);
  if (!replication) return replication.error();
  replication_ = *std::move(replication);
  return {};
}

bool RunningDaemon::go_on_loading(std::uint64_t rows, std::uint64_t of) {
  process::notify_starting(
      "loading " + std::to_string(rows) + " of " + std::to_string(of) + " hashes", kLoadPatience);
  const auto signal = process::wait_for_signal(std::chrono::milliseconds(0));
  if (signal == process::Signal::kReload) reload_waits_ = true;
  if (signal == process::Signal::kReopenLog) reopen_log();
  stopped_early_ = signal == process::Signal::kStop;
  return !stopped_early_;
}

Status RunningDaemon::open_milter() {
  auto milter =
      mta::MilterService::open(settings_->milter, snapshot_, clock_, log_, mail_counters_, memory_);
  if (!milter) return milter.error();
  milter_ = *std::move(milter);
  return {};
}

void RunningDaemon::use(std::shared_ptr<const judge::Scanner> scanner) {
  prober_.reset();
  if (auto remotes = scanner->remotes(); !remotes.empty()) {
    prober_ =
        std::make_unique<storage::client::ProberThread>(std::move(remotes), clock_, random_, log_);
    prober_->wait_for_names(kNamesPatience);
  }
  scanner_ = std::move(scanner);
}

void RunningDaemon::publish() {
  snapshot_.set(std::make_shared<const judge::Snapshot>(judge::Snapshot{
      scanner_, limits_.current().get(), counters_.current().get(), history_.current().get()}));
}

/// Called before the storage is loaded, so that an operator can watch the load; but after the
/// change of user, because a unix socket must belong to the user.
Status RunningDaemon::start_http() {
  if (settings_->http.listen.empty()) return {};
  auto http = http::HttpServer::start(
      http_options(), [this](const http::HttpRequest& request) { return router_.answer(request); },
      clock_, random_);
  if (!http) return http.error();
  http_ = *std::move(http);
  return {};
}

http::HttpServerOptions RunningDaemon::http_options() const {
  constexpr std::uint64_t kBodiesLeast = 4;
  constexpr std::uint64_t kBodies = 16;
  const HttpOptions& from = settings_->http;
  http::HttpServerOptions out;
  out.listen = from.listen;
  out.tls = {from.certificate, from.key};
  out.access = {from.local, from.keys_file, from.users_file};
  out.connections_max = from.connections_max;
  out.timeout = from.timeout;
  // Reports may be turned on by a reload, when the bounds are fixed. All bodies together have about
  // as much memory as those that are no reports.
  out.body_bytes_max = std::max(from.body_bytes_max, settings_->reports.bytes_max);
  out.bodies_max = static_cast<std::uint32_t>(
      std::max(kBodiesLeast, kBodies * from.body_bytes_max / out.body_bytes_max));
  return out;
}

std::vector<api::Route> RunningDaemon::all_routes() const {
  std::vector<api::Route> out = {{http::HttpMethod::kGet,
                                  "/api/1/openapi.json",
                                  http::Right::kNothing,
                                  api::Route::Pace::kAtOnce,
                                  "This document.",
                                  {},
                                  "",
                                  "openapi info paths",
                                  [this](const api::Call&) { return router_.document_reply(); }}};
  for (std::vector<api::Route> routes :
       {bucket_resource_.routes(), counter_resource_.routes(), event_resource_.routes(),
        file_resource_.routes(), hash_list_resource_.routes(), hash_resource_.routes(),
        list_resource_.routes(), message_hashes_.routes(), message_resource_.routes(),
        model_resource_.routes(), overview_resource_.routes(), report_resource_.routes(),
        rule_resource_.routes(), scan_resource_.routes(), session_resource_.routes(),
        system_resource_.routes()})
    out.insert(out.end(), std::make_move_iterator(routes.begin()),
               std::make_move_iterator(routes.end()));
  if (settings_->http.page) {
    for (api::Route& route : page::page_routes()) out.push_back(std::move(route));
  }
  return out;
}

std::shared_ptr<void> RunningDaemon::memory_to_try(std::uint64_t bytes,
                                                   const std::stop_token& stop) const {
  constexpr std::chrono::seconds kPatience{10};
  auto lease = std::make_shared<mta::MemoryLease>(memory_, mta::MemoryBudget::Use::kAnalyze);
  const bool taken = lease->await(memory_to_analyze(bytes),
                                  {clock_, clock_.now() + kPatience, stop, /*meanwhile=*/{}});
  return taken ? lease : nullptr;
}

api::ModelResource::Calls RunningDaemon::model_calls() {
  return {.status = [this] { return learning::status_json(model_.status()); },
          .train = [this] { return model_.train(); },
          .roll_back = [this] { return model_.roll_back(); },
          .set_live = [this](bool live) { return model_.set_live(live); }};
}

std::shared_ptr<const rules::ModelWord> RunningDaemon::word_of(
    const history::MessageRecord& row) const {
  const auto in_force = model_.current()->get();
  if (in_force == nullptr || row.unseen) return nullptr;
  const ActionOptions& actions = snapshot_.get()->scanner->settings().milter.actions;
  return std::make_shared<const rules::ModelWord>(model::word_of(*in_force, row, actions));
}

void RunningDaemon::look_at_keys() {
  if (http_ == nullptr) return;
  if (Status read = http_->access().look(); !read)
    log_.error(LogLine("http_keys_failed").field("error", read.error().message));
}

Result<api::SiteHistory> RunningDaemon::site_history() {
  const auto recorder = history_.current().get();
  if (recorder == nullptr)
    return Error{ErrorCode::kUnavailable, "there is no history here (history.enabled)"};
  // Somebody may ask for the message that was just refused.
  static_cast<void>(recorder->write());
  auto reader = storage::sqlite::HistoryReader::open(settings_->history.file);
  if (!reader) return reader.error();
  return api::SiteHistory{*std::move(reader), recorder->site()};
}

api::SiteCounters RunningDaemon::site_counters() {
  const auto site = counters_.site();
  if (!site) return {nullptr, {}, counters_.why_off()};
  const auto counter = counters_.current().get();
  return {counters_.store(),
          *site,
          "",
          counters_.people(),
          counter != nullptr ? counter->weights() : storage::people::Weights{},
          [persons = persons_](std::string_view address) { return persons->person_of(address); }};
}

void RunningDaemon::register_metrics() {
  const auto add = [&](MetricRegistry::Source source) {
    registrations_.push_back(metrics_.add(std::move(source)));
  };
  add(&process::report_process);
  add([this](MetricReport& report) {
    report.gauge({"shingled_build_info", "1, with the version of this program."}, std::uint64_t{1},
                 {{"version", SHINGLED_VERSION}});
    report.gauge({"shingled_last_reload_success", "Whether the settings read last are in force."},
                 std::uint64_t{settings_good_ ? 1U : 0U});
    report.gauge({"shingled_last_reload_success_timestamp_seconds",
                  "When the settings in force were read, in Unix time."},
                 std::uint64_t{settings_time_});
  });
  if (store_ != nullptr) add([this](MetricReport& report) { store_->report(report); });
  if (server_ != nullptr) {
    add([this](MetricReport& report) { server_->report(report); });
  }
  if (replication_ != nullptr) {
    add([this](MetricReport& report) {
      storage::replication::report_replication(replication_->counters(), report);
    });
  }
  add([this](MetricReport& report) { counters_.report(report); });
  add([this](MetricReport& report) { counter_resource_.report(report); });
  add([this](MetricReport& report) { reports_.report(report); });
  add([this](MetricReport& report) { events_.report(report); });
  if (const auto link = home_.get())
    add([link = link.get()](MetricReport& report) { link->report(report); });
  if (milter_ != nullptr) {
    add([this](MetricReport& report) {
      mail_counters_.report(report);
      rule_hits_.report(report);
      memory_->report(report);
      limits_.report(report);
      similar_.report(report);
      history_.report(report);
      promoter_.report(report);
      model_.report(report);
      report.gauge({"shingled_mail_under_way", "Messages between their beginning and their end."},
                   std::uint64_t{milter_->messages_under_way()});
      const auto snapshot = snapshot_.get();
      for (const storage::client::ProbedService& remote : snapshot->scanner->remotes())
        storage::client::report_client(remote.rule, remote.store->statistics(), report);
    });
  }
  system_resource_.set_store(store_.get());
  hash_resource_.set_store(store_.get(), engine_);
}

}  // namespace shingled::milter::daemon
