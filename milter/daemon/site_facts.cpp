#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "milter/api/system/system_facts.h"
#include "milter/daemon/running_daemon.h"
#include "milter/page/page_file.h"

namespace shingled::milter::daemon {

namespace {

constexpr std::chrono::seconds kCasesLast{30};
constexpr std::chrono::days kCasesSince{14};
constexpr std::size_t kCasesLooked = 1000;
constexpr std::chrono::hours kErrorsShown{1};
constexpr std::size_t kErrorsMost = 5;
constexpr std::chrono::seconds kDecisionPatience{10};

/// Lines of the log that mean a change of the state, and the events that are made of them.
struct ToldLine {
  std::string_view event;
  std::string_view what;
  std::string_view text;
  std::string_view key;   ///< whose value is the rest of the link; "" = the link is whole
  std::string_view link;  ///< "" = none
};
constexpr auto kToldLines = std::to_array<ToldLine>({
    {"reloaded", "reload", "the settings were read again", "", ""},
    {"policy_promotions_in_force", "rule", "rules went in or out of shadow", "", "rules"},
    {"policy_promote", "rule", "", "rule", "rules/"},
    {"policy_judged", "rule", "the rules were judged", "", "rules"},
    {"case_closed", "case", "a case was closed", "case", "cases/"},
    {"case_reopened", "case", "a case was reopened", "case", "cases/"},
    {"report", "case", "a report was taken", "", "cases"},
    {"history_written_again", "recovery", "the history is written again", "", "system"},
});

/// The value of a key in a line of the log; "" without it. Names that are looked for have no
/// blanks.
std::string_view value_in(std::string_view line, std::string_view key) {
  const std::string wanted = " " + std::string(key) + "=";
  const std::size_t at = line.find(wanted);
  if (key.empty() || at == std::string_view::npos) return "";
  const std::string_view rest = line.substr(at + wanted.size());
  return rest.substr(0, rest.find(' '));
}

std::optional<api::StateEvent> event_of(LogLevel level, std::string_view line) {
  const std::string_view event = line.substr(0, line.find(' '));
  const auto* const told = std::ranges::find(kToldLines, event, &ToldLine::event);
  if (told != kToldLines.end())
    return api::StateEvent{std::string(told->what),
                           std::string(told->text.empty() ? line : told->text),
                           std::string(told->link).append(value_in(line, told->key))};
  if (level < LogLevel::kWarning) return std::nullopt;
  return api::StateEvent{level == LogLevel::kError ? "error" : "warning", std::string(line),
                         "system"};
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

/// Files with what belongs to them; those that are not there are left out.
std::vector<api::FileSize> file_sizes(const Settings& settings) {
  std::vector<api::FileSize> out;
  const auto add = [&](const char* name, const std::string& path) {
    std::uint64_t bytes = 0;
    bool found = false;
    for (const char* more : {"", "-wal"}) {
      struct stat file {};
      if (::stat((path + more).c_str(), &file) != 0) continue;
      found = true;
      bytes += static_cast<std::uint64_t>(file.st_size);
    }
    if (found && !path.empty()) out.push_back({name, path, bytes});
  };
  if (settings.storage.enabled) add("storage.hashfile", settings.storage.engine.hashfile);
  if (settings.history.enabled) add("history.file", settings.history.file);
  if (settings.reports.enabled) add("reports.file", settings.reports.file);
  if (settings.similar.enabled) add("similar.file", settings.similar.file);
  return out;
}

/// The disks with files of the daemon, each once.
std::vector<api::DiskRoom> disks_of(const Settings& settings) {
  std::vector<api::DiskRoom> out;
  std::set<dev_t> seen;
  for (const std::string& folder :
       {folder_of(settings.storage.engine.hashfile), settings.counters.embedded.directory,
        folder_of(settings.history.file), folder_of(settings.reports.file)}) {
    struct stat place {};
    struct statvfs room {};
    if (::stat(folder.c_str(), &place) != 0 || !seen.insert(place.st_dev).second) continue;
    if (::statvfs(folder.c_str(), &room) != 0) continue;
    const auto block = static_cast<std::uint64_t>(room.f_frsize);
    out.push_back({folder, static_cast<std::uint64_t>(room.f_bavail) * block,
                   static_cast<std::uint64_t>(room.f_blocks) * block});
  }
  return out;
}

}  // namespace

void RunningDaemon::watch() {
  log_.observe([this](LogLevel level, std::string_view line) {
    log_memory_.take(level, line, clock_.wall());
    if (!events_.has_readers()) return;
    if (auto event = event_of(level, line)) events_.tell(*std::move(event));
  });
  events_.check_with([this](const http::Caller& caller) {
    return http_ == nullptr || http_->access().still_may(caller, http::Right::kRead);
  });
  system_resource_.set_facts(
      [this](double uptime, const MetricReport& metrics,
             const api::SystemResource::ShowFacts& show) { show_facts(uptime, metrics, show); });
}

api::RuleResource::Setup RunningDaemon::rule_setup() {
  return {.rules = [this] { return site_rules(); },
          .history = [this] { return site_history(); },
          .fired = [this](const std::string& rule) { return rule_hits_.count(rule); },
          .decide =
              [this](const std::string& rule, const std::optional<config::RuleDecision>& decision) {
                log_.info(LogLine("policy_decided")
                              .field("rule", rule)
                              .field("to", !decision        ? "settings"
                                           : decision->live ? "live"
                                                            : "shadow")
                              .field("by", decision ? decision->by : ""));
                return decisions_.decide(rule, decision, kDecisionPatience);
              }};
}

Result<api::SiteRules> RunningDaemon::site_rules() const {
  const auto in_force = in_force_.get();
  if (in_force->rules == nullptr)
    return Error{ErrorCode::kUnavailable,
                 "no rules are in force: the milter is off (milter.enabled), or still starts"};
  return api::SiteRules{in_force->settings, in_force->rules, promoter_.judgements(),
                        decisions_.decisions()};
}

std::string RunningDaemon::history_off() const {
  if (history_.current().get() != nullptr) return "";
  const auto settings = in_force_.get()->settings;
  if (!settings->history.enabled || !settings->milter.enabled)
    return "there is no history here (history.enabled, milter.enabled)";
  return "the history could not be opened; the log says why";
}

std::uint64_t RunningDaemon::open_cases() {
  const TimePoint now = clock_.now();
  {
    auto known = case_count_.lock();
    if (known->asked && now - *known->asked < kCasesLast) return known->count;
    known->asked = now;
  }
  const auto since = (clock_.wall() - kCasesSince).time_since_epoch().count();
  const auto found = reports_.cases(since, kCasesLooked, /*names=*/false);
  const auto acts = [](const reports::KnownCase& one) {
    return one.effect == reports::CaseEffect::kMarked ||
           one.effect == reports::CaseEffect::kRejected;
  };
  const auto count =
      found ? static_cast<std::uint64_t>(std::ranges::count_if(*found, acts)) : std::uint64_t{0};
  case_count_.lock()->count = count;
  return count;
}

api::SiteFacts RunningDaemon::site_facts(const api::SiteRules& site, const MetricReport& metrics) {
  api::SiteFacts out{.settings = *site.settings,
                     .metrics = metrics,
                     .judgements = site.judgements,
                     .decisions = site.decisions};
  out.settings_good = settings_good_;
  out.takes_updates = system_resource_.takes_updates();
  if (counters_.store() == nullptr)
    out.counters_off = counters_.why_off().empty() ? "they are not open" : counters_.why_off();
  out.history_off = history_off();
  out.has_people = http_ != nullptr && http_->access().has_people();
  if (site.settings->reports.enabled) out.open_cases = open_cases();
  for (const process::LogMemory::Line& line : log_memory_.lines()) {
    const bool recent = clock_.wall() - line.time < kErrorsShown;
    if (line.level == LogLevel::kError && recent && out.errors.size() < kErrorsMost)
      out.errors.push_back(line.text);
  }
  return out;
}

api::OverviewResource::Advice RunningDaemon::advice(const MetricReport& metrics) {
  auto site = site_rules();
  if (!site) site = api::SiteRules{settings_, nullptr, {}, {}};
  const api::SiteFacts facts = site_facts(*site, metrics);
  return {api::attention_of(facts), api::setup_of(facts)};
}

void RunningDaemon::show_facts(double uptime, const MetricReport& metrics,
                               const api::SystemResource::ShowFacts& show) {
  auto site = site_rules();
  if (!site) site = api::SiteRules{settings_, nullptr, {}, {}};
  const api::SiteFacts facts = site_facts(*site, metrics);
  std::vector<api::LoggedWarning> warnings;
  for (process::LogMemory::Line& line : log_memory_.lines())
    warnings.push_back(
        {line.time, line.level == LogLevel::kError, std::move(line.text), line.times});
  show({.site = facts,
        .state = std::string(api::to_string(system_resource_.state())),
        .uptime = uptime,
        .files = file_sizes(*site->settings),
        .disks = disks_of(*site->settings),
        .versions = {{"shingled", SHINGLED_VERSION},
                     {"libmicrohttpd", http::HttpServer::library_version()},
                     {"Chart.js", page::chart_version().empty()
                                      ? "not built in"
                                      : std::string(page::chart_version())}},
        .warnings = std::move(warnings)});
}

}  // namespace shingled::milter::daemon
