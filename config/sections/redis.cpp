#include <algorithm>

#include "config/keys/forms.h"
#include "config/sections/sections.h"

namespace shingled::config {

namespace {

constexpr std::uint16_t kRedisPort = 6379;
constexpr std::size_t kPrefixMax = 64;

void read_prefix(Section& section, std::string_view key, std::string& out) {
  constexpr std::string_view kAllowed = "1 to 64 visible ASCII characters other than { and }";
  const auto field = section.field(key);
  if (!field) return;
  const auto text = field->scalar(kAllowed);
  if (!text) return;
  const bool good = std::all_of(text->begin(), text->end(), [](char c) {
    return c > ' ' && c <= '~' && c != '{' && c != '}';  // braces choose the slot in a cluster
  });
  if (text->empty() || text->size() > kPrefixMax || !good) {
    field->refuse("not a valid prefix", kAllowed);
  } else {
    out = *text;
  }
}

void check_storage_redis(Section& section, Settings& settings) {
  const RedisOptions& redis = settings.storage.redis;
  check_redis_access(section, redis);
  if (redis.servers.empty() && (redis.read_servers.empty() || redis.write_servers.empty())) {
    section.problem("servers",
                    "is empty; allowed: a server, or some for both read_servers and write_servers");
  }
  if (redis.cluster && !(redis.read_servers.empty() && redis.write_servers.empty())) {
    section.problem("cluster",
                    "tells itself whom to ask; allowed: without read_servers and "
                    "write_servers");
  }
}

}  // namespace

void load_redis_servers(Section& section, std::string_view key, std::vector<SocketSpec>& out) {
  constexpr std::string_view kAllowed = "HOST:PORT, [IPV6]:PORT, unix:/PATH";
  const auto field = section.field(key);
  if (!field) return;
  out.clear();
  for (const auto& [item, word] : field->words(kAllowed)) {
    const auto server = read_socket(item, word, kRedisPort);
    if (!server) continue;
    if (server->kind != SocketSpec::Kind::kUnix && server->host.empty()) {
      item.problem("has no host name", kAllowed);
    } else {
      out.push_back(*server);
    }
  }
}

Keys<Settings> redis_access_keys(const Place<Settings, RedisOptions>& place,
                                 std::string_view prefix_help, std::string_view timeout_help) {
  return {
      key("db", place(&RedisOptions::db), Number{0, 65'535}, "number of the database, {}"),
      key("username", place(&RedisOptions::username), Text{},
          "user name of an ACL; \"\" = the default user"),
      key("password", place(&RedisOptions::password), SecretText{}, "\"\" = none"),
      key("prefix", place(&RedisOptions::prefix),
          Typed<std::string>{"text", read_prefix,
                             [](const std::string& prefix) { return flow_scalar(prefix); }},
          prefix_help),
      key("timeout", place(&RedisOptions::timeout), Time{10ms, 1min}, timeout_help),
  };
}

void check_redis_access(const Section& section, const RedisOptions& options) {
  if (options.password.empty() && !options.username.empty()) {
    section.problem("username", "needs a password; allowed: with a setting of password");
  }
  if (options.cluster && options.db != 0) {
    section.problem("db", "a cluster has one database only; allowed: 0, or cluster: false");
  }
}

Key<Settings> redis_section() {
  const auto redis = at_start(&Settings::storage)(&StorageOptions::redis);
  return start_map<Settings>(
      "redis",
      joined<Settings>(
          {{
               key("servers", redis(&RedisOptions::servers), RedisServers{},
                   "look-ups use them in turn, updates the first that answers; HOST:PORT, "
                   "unix:/PATH"),
               key("read_servers", redis(&RedisOptions::read_servers), RedisServers{},
                   "for look-ups instead, such as replicas; [] = servers"),
               key("write_servers", redis(&RedisOptions::write_servers), RedisServers{},
                   "for updates instead; [] = servers"),
               key("cluster", redis(&RedisOptions::cluster), Switch{},
                   "yes = servers are some members of a Redis cluster; its masters are used"),
               key("wait_replicas", redis(&RedisOptions::wait_replicas), Number{0, 100},
                   "replicas that must have an update before it is confirmed, so that no failover "
                   "loses it, {}; while there are fewer, updates wait in the journal"),
           },
           redis_access_keys(redis, "prefix of every key, 1 to 64 visible ASCII characters",
                             "longest wait for an answer, {}; while no server answers, every check "
                             "is unknown at once"),
           {
               key("cache_seconds", redis(&RedisOptions::cache_seconds), Time{1s, 1h, "off"},
                   "answers are reused from memory for this long, {}; changes by other daemons are "
                   "seen that much later; 0 = off"),
               constant("cache_entries", redis(&RedisOptions::cache_entries), Number::write),
               key("journal_max", redis(&RedisOptions::journal_max), Number{0, 100'000'000},
                   "updates that may wait on disk (HASHFILE.journal), {}; further ones are "
                   "refused"),
           }}),
      check_storage_redis);
}

}  // namespace shingled::config
