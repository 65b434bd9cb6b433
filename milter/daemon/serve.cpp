#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/assert.h"
#include "config/load_settings.h"
#include "config/promotions/decision_file.h"
#include "config/promotions/promoted_rules.h"
#include "milter/daemon/running_daemon.h"
#include "milter/policy/policy_rules.h"
#include "milter/process/process_control.h"
#include "milter/process/restart_needed.h"

namespace shingled::milter::daemon {

namespace {

constexpr std::chrono::milliseconds kSignalWait{1000};

/// The longest time between two reports to the watchdog.
std::chrono::milliseconds alive_interval() {
  const auto watchdog = process::watchdog_interval();
  return watchdog ? std::min(kSignalWait, *watchdog / 2) : kSignalWait;
}

}  // namespace

Status RunningDaemon::serve() {
  if (std::exchange(reload_waits_, false)) reload();
  while (!milter_ended_) {
    const auto signal = process::wait_for_signal(alive_interval());
    process::notify_alive();
    if (server_ != nullptr) server_->refresh();
    look_at_keys();
    if (milter_ != nullptr) {
      lists_.refresh();
      if (limits_.refresh()) publish();
    }
    if (signal == process::Signal::kStop) return {};
    if (signal == process::Signal::kReload) stay_alive(&RunningDaemon::reload);
    const auto decided = decisions_.take_change();
    if (promoter_.take_change() || decided) stay_alive(&RunningDaemon::take_promotions);
    if (decided) decisions_.put_in_force(*decided, promotions_good_);
    if (signal == process::Signal::kReopenLog) reopen_log();
  }
  return Error{ErrorCode::kUnavailable, "the milter service ended by itself"};
}

void RunningDaemon::stay_alive(void (RunningDaemon::*work)()) {
  // The names of servers of rules are looked up, and a name server may be slow.
  const auto done = std::async(std::launch::async, [this, work] { (this->*work)(); });
  while (done.wait_for(alive_interval()) != std::future_status::ready) process::notify_alive();
}

void RunningDaemon::take_promotions() {
  promotions_good_ = true;
  auto settings = std::make_shared<Settings>(scanner_->settings());
  Status read = config::use_promotions(*settings);
  if (settings->policy == scanner_->settings().policy) return;
  auto policy = policy::policy_rules(*settings);
  // They are those in force, but for their shadow.
  SHINGLED_ASSERT(policy.rules != nullptr);
  Next next;
  next.settings = settings;
  if (read) read = make_milter({settings, policy.rules}, next);
  promotions_good_ = read.has_value();
  if (!read) return say_unchanged(read.error().message);
  put_milter_in_force(next);
  publish();
  log_.info(LogLine("policy_promotions_in_force"));
}

void RunningDaemon::say_unchanged(std::string_view problem) {
  log_.error(LogLine("reload_failed").field("problem", problem).field("settings", "unchanged"));
}

RunningDaemon::Wanted RunningDaemon::read_settings() {
  config::Loaded loaded;
  if (source_.file.empty()) {
    auto same = std::make_shared<Settings>(*settings_);
    // What the file has may be newer than the start. If it cannot be read, no rule is promoted.
    static_cast<void>(config::use_promotions(*same));
    loaded.settings = std::move(same);
  } else {
    loaded = config::load_settings_file(source_.file, source_.overrides);
  }
  Wanted wanted;
  if (loaded.settings != nullptr) {
    auto policy = policy::policy_rules(*loaded.settings);
    if (policy.rules != nullptr) wanted = {loaded.settings, policy.rules};
    loaded.problems.insert(loaded.problems.end(), policy.problems.begin(), policy.problems.end());
  }
  for (const config::Problem& problem : loaded.problems) {
    if (problem.is_error()) {
      say_unchanged(problem.to_string());
    } else {
      log_.warning(LogLine("config_warning").field("problem", problem.to_string()));
    }
  }
  return wanted;
}

Result<RunningDaemon::Next> RunningDaemon::make_next(const Wanted& wanted) {
  Next next;
  next.settings = wanted.settings;
  if (milter_ != nullptr) {
    if (Status made = make_milter(wanted, next); !made) return made.error();
  }
  if (http_ != nullptr && !settings_->http.certificate.empty()) {
    auto identity = http::TlsIdentity::read({settings_->http.certificate, settings_->http.key});
    if (!identity) return identity.error().in("http.tls");
    next.identity = *std::move(identity);
  }
  return next;
}

Status RunningDaemon::make_milter(const Wanted& wanted, Next& next) {
  next.rules = wanted.rules;
  next.policy = policy_of(*wanted.rules);
  auto library = similar_.open(wanted.settings->similar);
  if (!library) return library.error();
  next.library = *std::move(library);
  std::shared_ptr<const storage::similar::SampleLibrary> searched = next.library.library;
  if (searched == nullptr) searched = similar_.library();
  auto scanner = open_scanner(wanted.settings, std::move(searched), next.policy);
  if (!scanner) return scanner.error();
  next.scanner = *std::move(scanner);
  auto limits = limits_.prepare(wanted.settings->ratelimit);
  if (!limits) return limits.error();
  next.limits = *std::move(limits);
  return {};
}

void RunningDaemon::put_milter_in_force(Next& next) {
  similar_.use(std::move(next.library));
  use(std::move(next.policy));
  use_lists(*next.settings);
  limits_.use(*std::move(next.limits));
  use(std::move(next.scanner));
  memory_->set_max(next.settings->milter.memory_max);
  decisions_.use(config::decision_file(next.settings->history));
  in_force_.set(std::make_shared<const InForce>(InForce{next.settings, next.rules}));
  promoter_.use(next.settings, std::move(next.rules));
  model_.use(next.settings);
}

void RunningDaemon::put_in_force(Next next) {
  const Settings& settings = *next.settings;
  if (next.scanner != nullptr) {
    put_milter_in_force(next);
  } else {
    in_force_.set(std::make_shared<const InForce>(InForce{next.settings, nullptr}));
  }
  use_counters(settings);
  if (milter_ != nullptr) {
    history_.use(settings.history, settings.counters);
    publish();
  }
  reports_.use(next.settings);
  peer_desk_.use(settings.history);
  if (next.identity != nullptr) http::TlsIdentity::use(std::move(next.identity));
  log_.set_level(settings.daemon.log_level);
}

void RunningDaemon::reload() {
  process::notify_reloading();
  const Wanted wanted = read_settings();
  settings_good_ = false;
  if (wanted.settings != nullptr) {
    auto next = make_next(wanted);
    // The last thing that may fail, and it changes nothing then.
    const Status served =
        next && server_ != nullptr ? server_->reload(server_options(*wanted.settings)) : Status();
    if (!next || !served) {
      say_unchanged(!next ? next.error().message : served.error().message);
    } else {
      put_in_force(*std::move(next));
      for (const std::string& name : process::restart_needed(*settings_, *wanted.settings)) {
        log_.warning(LogLine("reload_needs_restart").field("option", name));
      }
      settings_good_ = true;
      settings_time_ = unix_seconds(clock_.wall());
      log_.info(LogLine("reloaded").field("file", source_.file));
    }
  }
  process::notify_ready("serving");
}

Result<std::shared_ptr<const policy::CompiledRules>> RunningDaemon::read_policy(
    const Settings& settings) {
  const policy::PolicyRules read = policy::policy_rules(settings);
  for (const config::Problem& problem : read.problems)
    if (problem.is_error()) return Error{ErrorCode::kInvalid, problem.to_string()};
  return read.rules;
}

std::shared_ptr<const policy::Policy> RunningDaemon::policy_of(
    const policy::CompiledRules& rules) const {
  return std::make_shared<const policy::Policy>(rules, rule_hits_.counts_for(rules));
}

void RunningDaemon::use(std::shared_ptr<const policy::Policy> policy) {
  policy_ = std::move(policy);
  rule_hits_.use(policy_->rules(), policy_->hits());
}

void RunningDaemon::reopen_log() {
  const Status status = log_.reopen();
  if (status) {
    log_.info(LogLine("log_reopened"));
  } else {
    log_.error(LogLine("log_reopen_failed").field("error", status.error().message));
  }
}

void RunningDaemon::stop() {
  process::notify_stopping();
  log_.info(LogLine("stopping"));
  // A name server may be slow, so the prober ends while the mail is drained.
  if (prober_ != nullptr) prober_->request_stop();
  system_resource_.set_state(api::SystemResource::State::kDraining);
  if (milter_ != nullptr) {
    const auto drain_time = scanner_->settings().milter.drain_time;  // of the last reload
    const std::size_t cut_off = milter_->drain(clock_.now() + drain_time);
    if (cut_off > 0) log_.warning(LogLine("drain_incomplete").field("messages", cut_off));
    milter_->stop();
    milter_thread_.join();
  }
  scan_resource_.close();
  prober_.reset();
  decisions_.close();
  events_.end();  // before the server that sends them
  model_.close();
  promoter_.close();  // before the history that it reads
  if (server_ != nullptr) server_->save_limits(limits_file());
  system_resource_.set_store(nullptr);
  hash_resource_.set_store(nullptr, nullptr);
  registrations_.clear();
  if (const auto link = home_.get()) link->close();
  home_.set(nullptr);
  reports_.close();  // before what it teaches and counts with
  limits_.close();
  similar_.close();
  history_.close();
  counters_.close();
  server_.reset();  // the server first: its packets use the others
  replication_.reset();
  store_.reset();
  http_.reset();
  log_.info(LogLine("stopped"));
}

}  // namespace shingled::milter::daemon
