#include "milter/backup/site_parts.h"

#include <algorithm>
#include <iterator>

#include "config/promotions/decision_file.h"
#include "config/promotions/judgement_file.h"
#include "milter/backup/file_copy.h"
#include "milter/model/model_file.h"
#include "milter/model/model_mode.h"
#include "milter/names/list_files.h"
#include "milter/peers/spool_folder.h"
#include "milter/policy/policy_rules.h"

namespace shingled::milter::backup {

namespace {

/// Collects the parts of a site.
class SiteParts {
 public:
  SiteParts(const Settings& settings, const std::string& settings_file)
      : settings_(settings), settings_file_(settings_file) {}

  Site collect() {
    // A report is in its file before its hashes are taught: what is opened last, knows the most.
    add_reports();
    add_counters();
    add("history", "history", PartForm::kDatabase, settings_.history.file, "history.db");
    add("history.judgements", "history", PartForm::kFile, config::judgement_file(settings_.history),
        "history.judgements");
    add("history.decisions", "history", PartForm::kFile, config::decision_file(settings_.history),
        "history.decisions");
    add_model();
    add("similar", "similar", PartForm::kDatabase, settings_.similar.file, "similar.db");
    add_buckets();
    add_settings();
    add_keys();
    add_hashes();
    return std::move(site_);
  }

 private:
  void add(std::string name, std::string kind, PartForm form, const std::string& path,
           std::string file, bool under_key = false) {
    if (path.empty()) return;
    site_.parts.push_back({std::move(name), std::move(kind), form, plain_path(path),
                           std::move(file), under_key, /*is_one_of_many=*/false});
  }

  /// A file of a setting that names one.
  void add_file(const std::string& key, const char* kind, const std::string& path) {
    add(key, kind, PartForm::kFile, path, key);
  }

  /// The files of a setting that names several.
  void add_files(const std::string& key, const char* kind, const std::vector<std::string>& paths) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (has_path(paths[i])) continue;
      add_file(key + '.' + std::to_string(i + 1), kind, paths[i]);
      site_.parts.back().is_one_of_many = true;
    }
  }

  [[nodiscard]] bool has_path(const std::string& path) const {
    return path.empty() ||
           std::ranges::find(site_.parts, plain_path(path), &SitePart::path) != site_.parts.end();
  }

  void in_redis(const char* what, const RedisOptions& redis, const char* instead) {
    std::string servers;
    for (const SocketSpec& server : redis.servers)
      servers += (servers.empty() ? "" : ", ") + server.to_string();
    site_.elsewhere.push_back({what, "in Redis at " + servers + "; " + instead});
  }

  void add_hashes() {
    switch (settings_.storage.backend) {
      case Backend::kEmbedded:
        return add(kHashesPart, "hashes", PartForm::kHashes, settings_.storage.engine.hashfile,
                   "hashes.db");
      case Backend::kRedis:
        return in_redis("hashes", settings_.storage.redis,
                        "use shingled export, or the backups of Redis itself");
      case Backend::kNoop:
        site_.elsewhere.push_back({"hashes", "storage.backend is noop: no hashes are kept"});
    }
  }

  void add_counters() {
    const CounterOptions& counters = settings_.counters;
    if (counters.shared.enabled())
      return in_redis("counters", counters.shared.redis,
                      "use shingled counters export, or the backups of Redis itself");
    add("counters.names", "counters", PartForm::kDatabase, counters.names_path(), "names.db",
        /*under_key=*/true);
    add(kCountersPart, "counters", PartForm::kCounters, counters.embedded.directory,
        "counters.jsonl", /*under_key=*/true);
  }

  void add_reports() {
    if (settings_.counters.shared.enabled())
      in_redis("people", settings_.counters.shared.redis,
               "what people said; use the backups of Redis itself");
    else
      add("people", "reports", PartForm::kDatabase, settings_.counters.people_path(), "people.db",
          /*under_key=*/true);
    if (settings_.reports.file.empty()) return;
    // What waits for reports.home goes there later: a report that is here and there counts once.
    add("reports.spool", "reports", PartForm::kFolder, peers::spool_folder(settings_.reports),
        "reports.spool");
    add("reports", "reports", PartForm::kDatabase, settings_.reports.file, "reports.db",
        /*under_key=*/true);
  }

  /// The model in force, the one before it, and what a person decided about its word.
  void add_model() {
    const ModelOptions& model = settings_.model;
    if (model.file.empty()) return;
    add("model", "model", PartForm::kFile, model.file, "model.json");
    add("model.before", "model", PartForm::kFile, model::file_before(model.file),
        "model.json.before");
    add("model.mode", "model", PartForm::kFile, model::decision_file(model), "model.json.mode");
  }

  void add_buckets() {
    if (settings_.ratelimit.shared())
      return in_redis("buckets", settings_.ratelimit.redis, "they are made anew by the next mail");
    add("buckets", "buckets", PartForm::kDatabase, settings_.ratelimit.file, "buckets.db");
  }

  void add_settings() {
    add(kSettingsPart, "settings", PartForm::kFile, settings_file_, "shingled.yaml");
    add_files("policy.files", "settings", settings_.policy.files);
    add_file("policy.allow_file", "settings", settings_.policy.allow_file);
    add_file("policy.block_file", "settings", settings_.policy.block_file);
    add_files("policy.lists", "settings", lists_of_rules());
    add_file("reports.aliases", "settings", settings_.reports.aliases);
    add_files("ratelimit.whitelisted_rcpts", "settings",
              settings_.ratelimit.whitelisted_rcpts_files);
    add_files("ratelimit.whitelisted_ip", "settings", settings_.ratelimit.whitelisted_ip_files);
    const ListFiles& files = settings_.storage.server.files;
    add_files("storage.allow_update", "settings", files.allow_update);
    add_files("storage.allow_update_keys", "settings", files.allow_update_keys);
    add_files("storage.trusted", "settings", files.trusted);
    add_files("storage.blocked", "settings", files.blocked);
    add_files("storage.delay_whitelist", "settings", files.delay_whitelist);
    add_files("storage.ratelimit_whitelist", "settings", files.ratelimit_whitelist);
    add_files("storage.skip_hashes", "settings", files.skip_hashes);
    if (!settings_.counters.geoip.empty())
      site_.elsewhere.push_back(
          {"counters.geoip", settings_.counters.geoip + ": the same on every machine; load it"});
  }

  [[nodiscard]] std::vector<std::string> lists_of_rules() const {
    std::vector<std::string> out;
    const policy::PolicyRules policy = policy::policy_rules(settings_);
    if (policy.rules == nullptr) return out;
    for (const names::ListFile& list : policy::list_files_of(settings_.policy, *policy.rules)) {
      if (std::ranges::find(out, list.path) == out.end()) out.push_back(list.path);
    }
    return out;
  }

  void add_keys() {
    add_file(kKeyPart, "keys", settings_.counters.key_path());
    add_file("http.keys_file", "keys", settings_.http.keys_file);
    add_file("http.users_file", "keys", settings_.http.users_file);
    add_files("storage.keypair", "keys", settings_.storage.server.files.keypair);
    add_file("storage.dynamic_keys_map", "keys", settings_.storage.server.files.dynamic_keys_map);
    const HttpOptions& http = settings_.http;
    if (!http.certificate.empty())
      site_.elsewhere.push_back(
          {"http.certificate",
           http.certificate + ": is for the name of this machine; set up TLS there again"});
  }

  const Settings& settings_;
  const std::string& settings_file_;
  Site site_;
};

}  // namespace

Result<std::set<std::string>> parse_kinds(std::span<const std::string> names) {
  std::set<std::string> out;
  for (const std::string& name : names) {
    if (std::ranges::find(kKinds, name) == std::end(kKinds))
      return Error{ErrorCode::kInvalid,
                   '\'' + name + "' is no part of a backup; allowed: " + kinds_text()};
    out.insert(name);
  }
  return out;
}

std::string kinds_text() {
  std::string out;
  for (const std::string_view kind : kKinds) {
    if (!out.empty()) out += ", ";
    out += kind;
  }
  return out;
}

const SitePart* Site::find(std::string_view name) const {
  const auto found = std::ranges::find(parts, name, &SitePart::name);
  return found == parts.end() ? nullptr : &*found;
}

Site site_of(const Settings& settings, const std::string& settings_file) {
  return SiteParts(settings, settings_file).collect();
}

}  // namespace shingled::milter::backup
