#include <algorithm>

#include "config/sections/sections.h"

namespace shingled::config {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint16_t kRedisPort = 6379;
constexpr std::size_t kPrefixMax = 64;

void read_prefix(Section& section, std::string& out) {
  constexpr std::string_view kAllowed = "1 to 64 visible ASCII characters other than { and }";
  const auto field = section.field("prefix");
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

void load_redis_access(Section& section, RedisOptions& out) {
  section.number<std::uint32_t>("db", out.db, {0, 65'535});
  section.text("username", out.username);
  section.text("password", out.password);
  read_prefix(section, out.prefix);
  section.duration<milliseconds>("timeout", out.timeout, {milliseconds(10), minutes(1)});
  if (out.password.empty() && !out.username.empty()) {
    section.problem("username", "needs a password; allowed: with a setting of password");
  }
  if (out.cluster && out.db != 0) {
    section.problem("db", "a cluster has one database only; allowed: 0, or cluster: false");
  }
}

void load_redis(Section&& section, RedisOptions& out) {
  load_redis_servers(section, "servers", out.servers);
  load_redis_servers(section, "read_servers", out.read_servers);
  load_redis_servers(section, "write_servers", out.write_servers);
  section.boolean("cluster", out.cluster);
  section.number<std::uint32_t>("wait_replicas", out.wait_replicas, {0, 100});
  load_redis_access(section, out);
  section.duration<seconds>("cache_seconds", out.cache_seconds, {seconds(1), hours(1)}, "off");
  section.number<std::uint32_t>("cache_entries", out.cache_entries, {1000, 100'000'000});
  section.number<std::uint32_t>("journal_max", out.journal_max, {0, 100'000'000});
  if (out.servers.empty() && (out.read_servers.empty() || out.write_servers.empty())) {
    section.problem("servers",
                    "is empty; allowed: a server, or some for both read_servers and write_servers");
  }
  if (out.cluster && !(out.read_servers.empty() && out.write_servers.empty())) {
    section.problem("cluster",
                    "tells itself whom to ask; allowed: without read_servers and "
                    "write_servers");
  }
}

}  // namespace shingled::config
