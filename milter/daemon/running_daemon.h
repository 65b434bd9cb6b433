#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/current.h"
#include "config/base/guarded.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/metrics/metric_report.h"
#include "config/options/settings.h"
#include "config/system/whole_file.h"
#include "milter/api/bucket_resource.h"
#include "milter/api/counters/counter_resource.h"
#include "milter/api/file_resource.h"
#include "milter/api/hash_list_resource.h"
#include "milter/api/messages/hash_resource.h"
#include "milter/api/messages/list_resource.h"
#include "milter/api/messages/message_hashes.h"
#include "milter/api/messages/message_resource.h"
#include "milter/api/messages/report_resource.h"
#include "milter/api/messages/rule_resource.h"
#include "milter/api/model_resource.h"
#include "milter/api/route.h"
#include "milter/api/scan_resource.h"
#include "milter/api/session_resource.h"
#include "milter/api/system/event_hub.h"
#include "milter/api/system/event_resource.h"
#include "milter/api/system/overview_resource.h"
#include "milter/api/system/system_resource.h"
#include "milter/counters/counter_reloader.h"
#include "milter/daemon/daemon.h"
#include "milter/history/history_recorder.h"
#include "milter/http/http_server.h"
#include "milter/judge/scanner.h"
#include "milter/judge/snapshot.h"
#include "milter/learning/model_keeper.h"
#include "milter/mta/mail_counters.h"
#include "milter/mta/memory_budget.h"
#include "milter/mta/milter_service.h"
#include "milter/names/list_files.h"
#include "milter/peers/home_link.h"
#include "milter/peers/peer_desk.h"
#include "milter/policy/policy_evidence.h"
#include "milter/policy/policy_rules.h"
#include "milter/process/file_limit.h"
#include "milter/process/log_memory.h"
#include "milter/process/log_sink.h"
#include "milter/process/process_control.h"
#include "milter/promotion/decision_desk.h"
#include "milter/promotion/promoter.h"
#include "milter/ratelimit/limit_reloader.h"
#include "milter/reports/mailbox_names.h"
#include "milter/reports/report_desk.h"
#include "milter/similar/library_reloader.h"
#include "storage/client/prober.h"
#include "storage/open_store.h"
#include "storage/replication/replication_service.h"
#include "storage/server/fuzzy_server.h"

namespace shingled::milter::daemon {

/// All objects that live as long as the daemon. A member may use the members above it. The start is
/// in start.cpp; serving, reload and stop are in serve.cpp.
/// Threads: main; the milter and a reload have a thread each.
class RunningDaemon {
 public:
  RunningDaemon(std::shared_ptr<const Settings> settings, const SettingsSource& source,
                process::LogSink& log, Clock& clock)
      : settings_(std::move(settings)),
        in_force_(std::make_shared<const InForce>(InForce{settings_, nullptr})),
        source_(source),
        log_(log),
        clock_(clock),
        memory_(std::make_shared<mta::MemoryBudget>(settings_->milter.memory_max)),
        limits_(clock, random_, log),
        similar_(clock, log),
        counters_(clock, random_, log),
        lists_(log),
        events_(clock),
        history_(clock, random_, log, events_.feed()),
        promoter_(clock, random_, log),
        decisions_(log),
        model_(clock, log, {source.file, source.overrides}),
        reports_(clock, random_, log),
        persons_(std::make_shared<reports::PersonNames>(clock, log)),
        peer_desk_(clock),
        bucket_resource_([this] { return limits_.store(); }, clock),
        counter_resource_([this] { return site_counters(); }, clock,
                          [this](PieceType type, std::uint64_t shingle) {
                            const auto names = counters_.names();
                            return names ? names->find(type, shingle) : std::nullopt;
                          }),
        report_resource_(reports_, report_home()),
        message_resource_([this] { return site_history(); }, reports_, clock, report_home(),
                          message_peers(),
                          [this](const history::MessageRecord& row) { return word_of(row); }),
        overview_resource_([this] { return site_history(); }, metrics_,
                           [this](const MetricReport& metrics) { return advice(metrics); }, clock),
        rule_resource_(rule_setup(), clock),
        event_resource_(events_, [this] { return history_off(); }),
        file_resource_([this] { return similar_.library(); },
                       [this] { return in_force_.get()->settings; }),
        hash_list_resource_(
            hashfile_of(*settings_), [this] { return in_force_.get()->settings; },
            [this] { return hash_resource_.most_hit(api::HashListResource::kHashesMost); }, clock),
        hash_resource_({[this] { return in_force_.get()->settings; },
                        [this] { return site_history(); }, reports_, clock, random_}),
        list_resource_([this] { return in_force_.get()->settings; },
                       [this] { return site_history(); }, clock),
        scan_resource_(snapshot_,
                       [this](std::uint64_t bytes, const std::stop_token& stop) {
                         return memory_to_try(bytes, stop);
                       }),
        model_resource_(model_calls()),
        system_resource_(metrics_, clock, HttpOptions::kMatchesMax),
        message_hashes_([this] { return site_history(); },
                        [this](const Fingerprint& fingerprint, std::size_t most) {
                          return system_resource_.matches_of(fingerprint, most);
                        },
                        reports_),
        session_resource_([this] { return http_ == nullptr ? nullptr : &http_->access(); },
                          !settings_->http.certificate.empty()),
        router_(all_routes(), settings_->http.body_bytes_max) {
    watch();
  }
  ~RunningDaemon() { log_.observe({}); }
  RunningDaemon(const RunningDaemon&) = delete;
  RunningDaemon& operator=(const RunningDaemon&) = delete;
  RunningDaemon(RunningDaemon&&) = delete;
  RunningDaemon& operator=(RunningDaemon&&) = delete;

  Status start();
  /// Whether `start` failed because of a stop signal.
  [[nodiscard]] bool stopped_early() const { return stopped_early_; }
  /// Handles signals until a stop signal comes.
  /// Errors: kUnavailable (the milter ended by itself).
  Status serve();
  void stop();

 private:
  /// Of the embedded storage; "" without one.
  static std::string hashfile_of(const Settings& settings) {
    const bool has = settings.storage.enabled && settings.storage.backend == Backend::kEmbedded;
    return has ? settings.storage.engine.hashfile : std::string();
  }
  /// Raises the limit of descriptors and logs how many TCP connections there may be.
  void budget_files();
  /// The options of the fuzzy port. The number of TCP connections is reduced to the descriptors.
  [[nodiscard]] ServerOptions server_options(const Settings& settings) const;
  Status start_storage();
  /// Called while the storage is loaded. False: a stop signal came.
  bool go_on_loading(std::uint64_t rows, std::uint64_t of);
  Status open_milter();
  Result<std::unique_ptr<judge::Scanner>> open_scanner(
      std::shared_ptr<const Settings> settings,
      std::shared_ptr<const storage::similar::SampleLibrary> library,
      std::shared_ptr<const policy::Policy> policy) {
    const std::shared_ptr<const Settings> asked = settings;
    return judge::Scanner::open(std::move(settings), store_.get(), clock_, random_,
                                std::move(library), judge::ServerNames::kLater, std::move(policy),
                                lists_.current(), model_in(*asked));
  }
  /// The model for messages under these settings; null if it has no word. There may be none yet.
  [[nodiscard]] std::shared_ptr<const model::CurrentModel> model_in(
      const Settings& settings) const {
    const bool off = settings.policy.model.mode == ModelMode::kOff || settings.model.file.empty();
    return off ? nullptr : model_.current();
  }
  /// For the API of the model.
  [[nodiscard]] api::ModelResource::Calls model_calls();
  /// What the model in force says of a row.
  [[nodiscard]] std::shared_ptr<const rules::ModelWord> word_of(
      const history::MessageRecord& row) const;
  void use(std::shared_ptr<const judge::Scanner> scanner);
  /// Puts all that messages use in force at once, as its parts are now.
  void publish();
  /// Checks the rules of the settings; there may be none.
  /// Errors: kInvalid: a rule is wrong; the message is that of the first mistake.
  static Result<std::shared_ptr<const policy::CompiledRules>> read_policy(const Settings& settings);
  /// The policy of these rules, for counters and for the next scanner. Its hits are reported only
  /// once it is in force.
  [[nodiscard]] std::shared_ptr<const policy::Policy> policy_of(
      const policy::CompiledRules& rules) const;
  /// Makes it the policy in force.
  void use(std::shared_ptr<const policy::Policy> policy);
  /// Reads the lists of names that these settings and the rules in force ask.
  void use_lists(const Settings& settings) {
    lists_.use(policy::list_files_of(settings.policy, policy_->rules()));
  }
  /// What the counters are asked for.
  [[nodiscard]] features::CounterNeeds counter_needs(const Settings& settings) const {
    features::CounterNeeds needs =
        features::union_of(policy_->needs(), history::history_needs(settings.history));
    // Counters that are asked for of some types alone are not those of a row.
    const bool wanted = model_in(settings) != nullptr &&
                        (settings.history.enabled || stamp_of(settings.model.file) != FileStamp{});
    return !wanted ? needs : features::union_of(needs, model::needs_of_model());
  }
  /// Puts the counters of these settings in force.
  void use_counters(const Settings& settings);
  Status start_http();
  [[nodiscard]] http::HttpServerOptions http_options() const;
  [[nodiscard]] std::vector<api::Route> all_routes() const;
  /// For the API of scans: as a large message of mail, so that small ones pass all the same.
  [[nodiscard]] std::shared_ptr<void> memory_to_try(std::uint64_t bytes,
                                                    const std::stop_token& stop) const;
  /// Reads the files of keys and people again that have changed.
  void look_at_keys();
  /// What a report says of a message, for its row.
  void label(std::uint64_t message, std::optional<reports::ReportKind> kind);
  /// Puts rows and labels that wait on the disk, if there is a history.
  Status write_history();
  /// The link to the home of reports, if it is another daemon.
  Status start_home();
  [[nodiscard]] api::ReportHome report_home() const;
  [[nodiscard]] api::MessagePeers message_peers() const;
  /// For the API of messages: with all that was judged until now.
  Result<api::SiteHistory> site_history();
  // What the API shows of the daemon (site_facts.cpp).
  /// Keeps the last warnings, tells those who listen, and says who may listen.
  void watch();
  [[nodiscard]] api::RuleResource::Setup rule_setup();
  /// Errors: kUnavailable: no rules are in force here.
  [[nodiscard]] Result<api::SiteRules> site_rules() const;
  /// Why there is no history; "" if there is one.
  [[nodiscard]] std::string history_off() const;
  [[nodiscard]] api::OverviewResource::Advice advice(const MetricReport& metrics);
  void show_facts(double uptime, const MetricReport& metrics,
                  const api::SystemResource::ShowFacts& show);
  /// Cases that mark or reject mail; asked at most every half a minute.
  [[nodiscard]] std::uint64_t open_cases();
  /// What the functions above share. `site` and `metrics` must outlive it.
  [[nodiscard]] api::SiteFacts site_facts(const api::SiteRules& site, const MetricReport& metrics);
  /// For the API of counters.
  [[nodiscard]] api::SiteCounters site_counters();
  /// Registers everything that is measured. Call it when all parts have started.
  void register_metrics();
  void reload();
  struct Wanted {
    std::shared_ptr<const Settings> settings;
    std::shared_ptr<const policy::CompiledRules> rules;
  };
  /// The settings as they are in their files now, or without files as they are; both null, and
  /// told, if they have an error.
  Wanted read_settings();
  /// What a reload puts in force: all of it, or nothing if one thing cannot be made.
  struct Next {
    std::shared_ptr<const Settings> settings;
    // Of a milter; null and empty without one.
    std::shared_ptr<const policy::CompiledRules> rules;
    std::shared_ptr<const policy::Policy> policy;
    std::shared_ptr<const judge::Scanner> scanner;
    similar::LibraryReloader::Opened library;
    std::optional<ratelimit::LimitReloader::Prepared> limits;
    std::shared_ptr<const http::TlsIdentity> identity;  ///< of http.tls; null without
  };
  /// Makes all of it. Changes nothing.
  Result<Next> make_next(const Wanted& wanted);
  Status make_milter(const Wanted& wanted, Next& next);
  void put_in_force(Next next);
  /// What make_milter() has made. Changes it.
  void put_milter_in_force(Next& next);
  void say_unchanged(std::string_view problem);
  /// Puts the settings in force in force again, with the rules that are out of shadow by their
  /// figures, and as people decided, now.
  void take_promotions();
  /// Does this in a thread of its own, and meanwhile reports to the watchdog.
  void stay_alive(void (RunningDaemon::*work)());
  void reopen_log();
  /// The file that keeps the rate limits of the fuzzy port over a restart.
  [[nodiscard]] std::string limits_file() const {
    return settings_->storage.engine.hashfile + ".ratelimits";
  }

  std::shared_ptr<const Settings> settings_;  ///< of the start
  /// Of the start or the last reload, for those who ask on other threads.
  struct InForce {
    std::shared_ptr<const Settings> settings;
    std::shared_ptr<const policy::CompiledRules> rules;  ///< null without a milter
  };
  Current<const InForce> in_force_;
  const SettingsSource& source_;
  process::LogSink& log_;
  Clock& clock_;
  SystemRandom random_;
  process::PidFile pid_file_;
  process::FileBudget files_;
  MetricRegistry metrics_;
  mta::MailCounters mail_counters_;
  // For mail. Shared, because the threads of libmilter may live longer than this object.
  std::shared_ptr<mta::MemoryBudget> memory_;
  std::unique_ptr<storage::FuzzyStore> store_;
  const storage::engine::Engine* engine_ = nullptr;  ///< the same, if it is the embedded one
  std::unique_ptr<storage::server::FuzzyServer> server_;
  std::unique_ptr<storage::replication::ReplicationService> replication_;
  ratelimit::LimitReloader limits_;
  similar::LibraryReloader similar_;
  counters::CounterReloader counters_;
  names::ListFiles lists_;
  policy::RuleHits rule_hits_;
  std::shared_ptr<const policy::Policy> policy_;  ///< null before the start
  api::EventHub events_;
  history::HistoryReloader history_;
  promotion::Promoter promoter_;
  promotion::DecisionDesk decisions_;
  process::LogMemory log_memory_;
  struct CaseCount {
    std::optional<TimePoint> asked;
    std::uint64_t count = 0;
  };
  Guarded<CaseCount> case_count_;
  learning::ModelKeeper model_;
  reports::ReportDesk reports_;
  std::shared_ptr<reports::PersonNames> persons_;  ///< shared as `memory_`
  std::shared_ptr<const judge::Scanner> scanner_;  ///< null before the start, and without a milter
  judge::CurrentSnapshot snapshot_;                ///< what messages get
  // For the remote services of the scanner; null if it has none.
  std::unique_ptr<storage::client::ProberThread> prober_;
  std::unique_ptr<mta::MilterService> milter_;
  std::vector<MetricRegistry::Registration> registrations_;
  Current<peers::HomeLink> home_;  ///< null: this daemon keeps the reports itself
  peers::PeerDesk peer_desk_;
  api::BucketResource bucket_resource_;
  api::CounterResource counter_resource_;
  api::ReportResource report_resource_;
  api::MessageResource message_resource_;
  api::OverviewResource overview_resource_;
  api::RuleResource rule_resource_;
  api::EventResource event_resource_;
  api::FileResource file_resource_;
  api::HashListResource hash_list_resource_;
  api::HashResource hash_resource_;
  api::ListResource list_resource_;
  api::ScanResource scan_resource_;
  api::ModelResource model_resource_;
  api::SystemResource system_resource_;
  api::MessageHashes message_hashes_;
  api::SessionResource session_resource_;
  api::Router router_;
  std::unique_ptr<http::HttpServer> http_;
  bool stopped_early_ = false;
  bool promotions_good_ = true;  ///< they are in force as they were read
  bool reload_waits_ = false;    ///< a reload was requested while the storage was loaded
  std::atomic<bool> milter_ended_{false};
  /// Of the start, then of the last reload, for the metrics.
  std::atomic<bool> settings_good_{true};
  std::atomic<std::uint32_t> settings_time_{unix_seconds(clock_.wall())};  ///< of those in force
  std::jthread milter_thread_;
};

}  // namespace shingled::milter::daemon
