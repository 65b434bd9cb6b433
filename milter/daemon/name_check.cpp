#include "milter/daemon/name_check.h"

#include <future>
#include <map>
#include <optional>

#include "storage/client/name_lookup.h"

namespace shingled::milter::daemon {

namespace {

constexpr std::size_t kAtOnce = 16;

/// A name, and the key of the settings with it.
struct Use {
  std::string key;
  ServerSpec server;
  bool is_own = false;
};

class Uses {
 public:
  void add(const std::string& key, const ServerSpec& server, bool is_own = false) {
    const SocketSpec& socket = server.socket;
    if (socket.kind == SocketSpec::Kind::kUnix || socket.host.empty()) return;
    if (server.service.empty() && IpAddress::parse(socket.host)) return;
    all_.push_back({key, server, is_own});
  }
  void add(const std::string& key, const std::vector<SocketSpec>& sockets, bool is_own = false) {
    for (const SocketSpec& socket : sockets) add(key, ServerSpec{socket, {}, 1}, is_own);
  }
  void add(const std::string& key, const ServerList& list) {
    for (const ServerSpec& server : list.servers) add(key, server);
  }
  [[nodiscard]] const std::vector<Use>& all() const { return all_; }

 private:
  std::vector<Use> all_;
};

void add_own(const Settings& settings, Uses& uses) {
  uses.add("http.listen", settings.http.listen, true);
  if (settings.milter.enabled)
    uses.add("milter.socket", ServerSpec{settings.milter.socket, {}, 1}, true);
  if (!settings.storage.enabled) return;
  uses.add("storage.listen", settings.storage.server.listen, true);
  const ReplicationOptions& replication = settings.storage.replication;
  if (!replication.masters.empty())
    uses.add("storage.replication_listen", replication.listen, true);
}

void add_others(const Settings& settings, Uses& uses) {
  for (const RuleOptions& rule : settings.rules) {
    const std::string key = "rules." + rule.name + '.';
    uses.add(key + "servers", rule.remote.servers);
    uses.add(key + "read_servers", rule.remote.read_servers);
    uses.add(key + "write_servers", rule.remote.write_servers);
  }
  uses.add("ratelimit.servers", settings.ratelimit.redis.servers);
  if (settings.counters.enabled)
    uses.add("counters.servers", settings.counters.shared.redis.servers);
  if (!settings.storage.enabled) return;
  for (const MirrorOptions& mirror : settings.storage.replication.mirrors)
    uses.add("storage.mirror", ServerSpec{mirror.address, {}, 1});
  if (settings.storage.backend != Backend::kRedis) return;
  const RedisOptions& redis = settings.storage.redis;
  uses.add("storage.redis.servers", redis.servers);
  uses.add("storage.redis.read_servers", redis.read_servers);
  uses.add("storage.redis.write_servers", redis.write_servers);
}

/// The reason why a server has no address; nullopt if it has one.
std::optional<std::string> why_lost(const ServerSpec& server) {
  storage::client::SystemLookup lookup(0);
  const auto found = lookup.find(server);
  return found ? std::nullopt : std::optional(found.error().message);
}

}  // namespace

std::vector<LostName> find_lost_names(const Settings& settings, bool others) {
  Uses uses;
  add_own(settings, uses);
  if (others) add_others(settings, uses);
  std::map<std::string, std::future<std::optional<std::string>>> under_way;
  std::map<std::string, std::optional<std::string>> known;
  const auto collect = [&] {
    for (auto& [name, answer] : under_way) known[name] = answer.get();
    under_way.clear();
  };
  for (const Use& use : uses.all()) {
    const std::string name = use.server.to_string();
    if (known.contains(name) || under_way.contains(name)) continue;
    if (under_way.size() == kAtOnce) collect();
    under_way[name] = std::async(std::launch::async, why_lost, use.server);
  }
  collect();
  std::vector<LostName> out;
  for (const Use& use : uses.all()) {
    const auto& why = known[use.server.to_string()];
    if (why) out.push_back({use.key, *why, use.is_own});
  }
  return out;
}

}  // namespace shingled::milter::daemon
