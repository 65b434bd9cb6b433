#include "milter/api/system/system_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "milter/view/amount_text.h"
#include "milter/view/policy_json.h"

namespace shingled::milter::api {

namespace {

constexpr const char* kFine = "ok";
constexpr const char* kLook = "warning";
constexpr const char* kWrong = "bad";

/// Collects the facts of a group.
class FactGroup {
 public:
  FactGroup(const MetricReport& metrics, const char* name, const char* title)
      : metrics_(metrics), name_(name), title_(title) {}

  void text(const char* name, const char* title, const std::string& value,
            const char* state = kFine) {
    add(name, title, Json(value), value, state);
  }
  void yes_no(const char* name, const char* title, bool value, const char* otherwise = kFine) {
    add(name, title, Json(value), value ? "yes" : "no", value ? kFine : otherwise);
  }
  void count(const char* name, const char* title, std::string_view metric,
             const MetricLabels& labels = {}) {
    const auto value = static_cast<std::uint64_t>(std::max(0.0, metrics_.total(metric, labels)));
    add(name, title, Json(value), view::count_text(value), kFine);
  }
  /// A number that should be zero.
  void trouble(const char* name, const char* title, std::string_view metric) {
    const auto value = static_cast<std::uint64_t>(std::max(0.0, metrics_.total(metric)));
    add(name, title, Json(value), view::count_text(value), value == 0 ? kFine : kLook);
  }
  void bytes(const char* name, const char* title, double value, const char* state = kFine) {
    add(name, title, Json(static_cast<std::uint64_t>(value)), view::bytes_text(value), state);
  }
  void bytes(const char* name, const char* title, std::string_view metric) {
    bytes(name, title, std::max(0.0, metrics_.total(metric)));
  }
  void seconds(const char* name, const char* title, double value, const char* state = kFine) {
    add(name, title, Json(value), view::seconds_text(value), state);
  }
  void add(const std::string& name, const std::string& title, Json value, const std::string& text,
           const char* state) {
    facts_.push_back({{"name", name},
                      {"title", title},
                      {"value", std::move(value)},
                      {"text", text},
                      {"state", state}});
  }
  void end(Json& groups) {
    groups.push_back({{"name", name_}, {"title", title_}, {"facts", std::move(facts_)}});
  }

 private:
  const MetricReport& metrics_;
  const char* name_;
  const char* title_;
  Json facts_ = Json::array();
};

void add_daemon(const SystemFacts& facts, Json& groups) {
  FactGroup group(facts.site.metrics, "daemon", "Daemon");
  group.text("state", "State", facts.state, facts.state == "serving" ? kFine : kLook);
  group.seconds("uptime", "Runs for", facts.uptime);
  group.yes_no("settings", "The settings that were read last are in force",
               facts.site.settings_good, kWrong);
  group.bytes("memory", "Memory", "process_resident_memory_bytes");
  group.count("files", "Open files and sockets", "process_open_fds");
  group.count("threads", "Threads", "process_threads");
  group.end(groups);
}

void add_mail(const SystemFacts& facts, Json& groups) {
  if (!facts.site.settings.milter.enabled) return;
  FactGroup group(facts.site.metrics, "mail", "Mail");
  group.count("messages", "Messages since the start", "shingled_mail_messages");
  group.count("under_way", "Messages under way", "shingled_mail_under_way");
  group.trouble("unknown", "Decided by milter.on_failure", "shingled_mail_unknown");
  group.trouble("incomplete", "Not looked at to the end", "shingled_mail_incomplete");
  group.trouble("memory_refused", "Deferred for want of memory", "shingled_mail_memory_refused");
  group.bytes("memory_peak", "Most memory of messages", "shingled_mail_memory_peak_bytes");
  group.yes_no("carried_out", "Verdicts are carried out (milter.dry_run: no)",
               !facts.site.settings.milter.dry_run, kLook);
  group.end(groups);
}

void add_storage(const SystemFacts& facts, Json& groups) {
  const StorageOptions& options = facts.site.settings.storage;
  if (!options.enabled) return;
  FactGroup group(facts.site.metrics, "storage", "Stored hashes");
  group.text("backend", "Kept in",
             options.backend == Backend::kEmbedded ? options.engine.hashfile
             : options.backend == Backend::kRedis  ? "Redis"
                                                   : "nothing (noop)");
  group.count("hashes", "Hashes", "shingled_storage_records");
  group.yes_no("takes_updates", "Takes updates", facts.site.takes_updates, kWrong);
  group.count("waiting", "Updates that wait", "shingled_storage_updates_waiting");
  group.count("commits", "Commits since the start", "shingled_storage_commits");
  group.trouble("refused", "Updates refused", "shingled_storage_refused");
  group.count("checks", "Checks over the network", "shingled_server_checks");
  group.end(groups);
  const ReplicationOptions& replication = options.replication;
  if (replication.masters.empty() && replication.mirrors.empty()) return;
  FactGroup other(facts.site.metrics, "replication", "Replication");
  other.count("masters", "Masters and mirrors that are connected",
              "shingled_replication_connected");
  const double lag = facts.site.metrics.total("shingled_replication_lag_seconds");
  other.seconds("lag", "Oldest change that a mirror does not have", lag, lag > 60 ? kLook : kFine);
  other.count("lag_records", "Changes that mirrors do not have",
              "shingled_replication_lag_records");
  other.trouble("failures", "Connections that failed", "shingled_replication_failures");
  other.end(groups);
}

void add_redis(const SystemFacts& facts, Json& groups) {
  const Settings& settings = facts.site.settings;
  const bool hashes = settings.storage.enabled && settings.storage.backend == Backend::kRedis;
  const bool counters = settings.counters.enabled && settings.counters.shared.enabled();
  if (!hashes && !counters && !settings.ratelimit.shared()) return;
  const auto answers = [&](const char* metric) { return facts.site.metrics.total(metric) > 0; };
  FactGroup group(facts.site.metrics, "redis", "Redis");
  if (hashes) {
    group.yes_no("hashes", "Answers for hashes", answers("shingled_redis_connected"), kWrong);
    group.count("waiting", "Updates that wait for it", "shingled_redis_waiting");
  }
  if (counters) {
    group.yes_no("counters", "Answers for counters", answers("shingled_counters_shared"), kWrong);
    group.bytes("journal", "What waits on disk for it", "shingled_counters_journal_bytes");
  }
  if (settings.ratelimit.shared())
    group.yes_no("buckets", "Answers for limits", answers("shingled_buckets_shared"), kLook);
  group.end(groups);
}

/// The servers that rules ask.
void add_servers(const SystemFacts& facts, Json& groups) {
  FactGroup group(facts.site.metrics, "servers", "Servers of rules");
  bool any = false;
  for (const MetricFamily& family : facts.site.metrics.families()) {
    if (family.name != "shingled_client_replies") continue;
    for (const MetricSample& sample : family.samples) {
      any = true;
      std::string name;
      for (const auto& [label, value] : sample.labels) name += (name.empty() ? "" : " ") + value;
      const auto total = [&](const char* metric) {
        return facts.site.metrics.total(metric, sample.labels);
      };
      const bool rests = total("shingled_client_resting") > 0;
      group.add(name, name, Json(total("shingled_client_replies")),
                fmt::format("{:.0f} answers, {:.0f} given up, mean {}{}",
                            total("shingled_client_replies"), total("shingled_client_timeouts"),
                            view::seconds_text(total("shingled_client_mean_seconds")),
                            rests ? ", is left alone after failures" : ""),
                rests ? kWrong : kFine);
    }
  }
  if (any) group.end(groups);
}

void add_counters(const SystemFacts& facts, Json& groups) {
  const Settings& settings = facts.site.settings;
  if (settings.counters.enabled) {
    FactGroup group(facts.site.metrics, "counters", "Counters");
    if (!facts.site.counters_off.empty()) {
      group.text("off", "Nothing is counted", facts.site.counters_off, kWrong);
    } else {
      group.count("rows", "Counters in files", "shingled_counters_rows");
      group.count("live", "Counters of the last ten minutes", "shingled_counters_live");
      group.bytes("disk", "Files", "shingled_counters_disk_bytes");
      group.bytes("memory", "Memory", "shingled_counters_memory_bytes");
      group.count("names", "Texts that are kept", "shingled_counters_names");
      group.trouble("failures", "Messages not counted", "shingled_counting_failures");
    }
    group.end(groups);
  }
  if (settings.history.enabled) {
    FactGroup group(facts.site.metrics, "history", "History");
    if (!facts.site.history_off.empty())
      group.text("off", "No history", facts.site.history_off, kWrong);
    group.bytes("bytes", "In use", "shingled_history_bytes");
    group.count("waiting", "Messages that wait", "shingled_history_waiting");
    group.trouble("dropped", "Messages lost", "shingled_history_dropped");
    group.trouble("failures", "Writes that failed", "shingled_history_failures");
    group.seconds("keep", "Kept for", static_cast<double>(settings.history.keep.count()));
    group.end(groups);
  }
  if (settings.reports.enabled) {
    FactGroup group(facts.site.metrics, "reports", "Reports");
    group.count("spam", "Reported as spam", "shingled_reports_received", {{"kind", "spam"}});
    group.count("ham", "Reported as wanted", "shingled_reports_received", {{"kind", "ham"}});
    group.trouble("refused", "Refused", "shingled_reports_refused");
    group.trouble("failures", "Failed", "shingled_reports_failures");
    group.end(groups);
  }
}

void add_files(const SystemFacts& facts, Json& groups) {
  FactGroup files(facts.site.metrics, "files", "Files");
  for (const FileSize& file : facts.files)
    files.add(file.name, file.path, Json(file.bytes),
              view::bytes_text(static_cast<double>(file.bytes)), kFine);
  if (!facts.files.empty()) files.end(groups);
  FactGroup disks(facts.site.metrics, "disk", "Disks");
  for (const DiskRoom& disk : facts.disks) {
    const double share =
        disk.bytes == 0 ? 1
                        : static_cast<double>(disk.free_bytes) / static_cast<double>(disk.bytes);
    disks.add(disk.path, disk.path, Json(disk.free_bytes),
              fmt::format("{} free of {}", view::bytes_text(static_cast<double>(disk.free_bytes)),
                          view::bytes_text(static_cast<double>(disk.bytes))),
              share < 0.02  ? kWrong
              : share < 0.1 ? kLook
                            : kFine);
  }
  if (!facts.disks.empty()) disks.end(groups);
}

void add_warnings(const SystemFacts& facts, Json& groups) {
  FactGroup versions(facts.site.metrics, "versions", "Versions");
  for (const auto& [name, version] : facts.versions)
    versions.add(name, name, Json(version), version, kFine);
  versions.end(groups);
  FactGroup group(facts.site.metrics, "warnings", "Last warnings");
  for (const LoggedWarning& one : facts.warnings) {
    const std::string event = one.line.substr(0, one.line.find(' '));
    const std::string times = one.times > 1 ? fmt::format(" ({} times)", one.times) : "";
    group.add(event, event, Json(view::time_text(one.time)), one.line + times,
              one.is_error ? kWrong : kLook);
  }
  group.end(groups);
}

}  // namespace

Json system_groups(const SystemFacts& facts) {
  Json groups = Json::array();
  add_daemon(facts, groups);
  add_mail(facts, groups);
  add_storage(facts, groups);
  add_redis(facts, groups);
  add_servers(facts, groups);
  add_counters(facts, groups);
  add_files(facts, groups);
  add_warnings(facts, groups);
  return groups;
}

}  // namespace shingled::milter::api
