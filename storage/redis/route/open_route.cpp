#include "storage/redis/route/open_route.h"

#include <algorithm>
#include <optional>
#include <string>

#include "config/base/hex.h"
#include "config/base/number_text.h"
#include "storage/redis/route/scripts.h"

namespace shingled::storage::redis {

RedisLogin login_of(const RedisOptions& options) {
  return {.username = options.username, .password = options.password, .db = options.db};
}

RedisServers::RedisServers(const std::vector<SocketSpec>& servers, const RedisLogin& login,
                           Turn turn, Clock& clock, Logger& logger)
    : clock_(clock), turn_(turn) {
  for (const SocketSpec& server : servers) {
    servers_.push_back(std::make_unique<RedisServer>(server, login, clock, logger));
  }
}

Result<std::vector<RedisReply>> RedisServers::ask(const CommandList& commands, TimePoint deadline) {
  const std::size_t first =
      turn_ == Turn::kRound ? next_.fetch_add(1, std::memory_order_relaxed) : 0;
  Result<std::vector<RedisReply>> replies = Error{ErrorCode::kUnavailable, "no server is named"};
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (i > 0 && clock_.now() >= deadline) break;
    replies = servers_[(first + i) % servers_.size()]->ask(commands, deadline);
    if (replies) break;
  }
  return replies;
}

bool RedisServers::is_up() const {
  return std::any_of(servers_.begin(), servers_.end(),
                     [](const auto& server) { return server->is_up(); });
}

NullLogger& silent_logger() {
  static NullLogger logger;
  return logger;
}

OpenRoute open_route(const RedisOptions& options, const std::vector<SocketSpec>& wanted,
                     RedisServers::Turn turn, Clock& clock, Logger& logger) {
  const RedisLogin login = login_of(options);
  if (options.cluster) {
    auto cluster = std::make_unique<RedisCluster>(options.servers, login, clock, logger);
    RedisCluster* const known = cluster.get();
    return {std::move(cluster), known};
  }
  const std::vector<SocketSpec>& servers = wanted.empty() ? options.servers : wanted;
  return {std::make_unique<RedisServers>(servers, login, turn, clock, logger), nullptr};
}

Result<std::vector<RedisReply>> whole(Result<std::vector<RedisReply>> replies) {
  if (!replies) return replies;
  if (any_error(*replies, RedisCluster::kAway))
    return Error{ErrorCode::kUnavailable, "a server of the cluster is away"};
  if (any_error(*replies, "NOSCRIPT"))
    return Error{ErrorCode::kUnavailable, "the server forgets scripts"};
  return replies;
}

Result<std::vector<RedisReply>> ask_whole(RedisRoute& route, const CommandList& commands,
                                          TimePoint deadline) {
  if (commands.empty()) return std::vector<RedisReply>();
  return whole(route.ask(commands, deadline));
}

namespace {

constexpr std::uint16_t kDefaultPort = 6379;
constexpr std::uint32_t kDatabaseMax = 65'535;

Error no_url() {
  return {ErrorCode::kInvalid,
          "not a valid address of Redis; allowed: redis://[[USER]:PASSWORD@]HOST[:PORT][/DB], "
          "unix:/PATH; in USER and PASSWORD %25 is a percent sign"};
}

/// nullopt: a percent sign without two digits after it.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t taken = 1;
    if (text.front() == '%') {
      const auto byte = from_hex(text.substr(1, 2));
      if (!byte || byte->size() != 1) return std::nullopt;
      out += static_cast<char>(byte->front());
      taken = 3;
    } else {
      out += text.front();
    }
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace

Status apply_redis_url(std::string_view url, RedisOptions& options) {
  constexpr std::string_view kScheme = "redis://";
  // Another server has another login and other databases. The URL cannot say that it is a cluster.
  RedisOptions wanted = options;
  wanted.read_servers.clear();
  wanted.write_servers.clear();
  wanted.username.clear();
  wanted.password = {};
  wanted.db = 0;
  wanted.cluster = false;
  if (url.starts_with(kScheme)) {
    url.remove_prefix(kScheme.size());
    if (const std::size_t at = url.rfind('@'); at != std::string_view::npos) {
      const std::string_view login = url.substr(0, at);
      const std::size_t colon = login.find(':');
      if (colon == std::string_view::npos || colon + 1 == login.size()) return no_url();
      const auto user = decoded(login.substr(0, colon));
      const auto password = decoded(login.substr(colon + 1));
      if (!user || !password) return no_url();
      wanted.username = *user;
      wanted.password = *password;
      url.remove_prefix(at + 1);
    }
    if (const std::size_t slash = url.find('/'); slash != std::string_view::npos) {
      const auto number = parse_whole<std::uint32_t>(url.substr(slash + 1), 0, kDatabaseMax);
      if (!number) return no_url();
      wanted.db = *number;
      url = url.substr(0, slash);
    }
  } else if (!url.starts_with("unix:/")) {
    return no_url();
  }
  const auto server = SocketSpec::parse(url, kDefaultPort);
  if (!server || (server->kind != SocketSpec::Kind::kUnix && server->host.empty())) return no_url();
  wanted.servers = {*server};
  options = wanted;
  return {};
}

namespace {

constexpr std::string_view kScanCount = "1000";  // keys that the server looks at in one step

/// The name of a server process, which is new after each start; empty if INFO is not permitted.
std::string run_id(const RedisReply& info) {
  constexpr std::string_view kName = "run_id:";
  const std::size_t begin = info.text.find(kName);
  if (!info.is_text() || begin == std::string::npos) return {};
  return info.text.substr(begin, info.text.find('\r', begin) - begin);
}

}  // namespace

std::vector<std::unique_ptr<RedisRoute>> key_holders(const RedisOptions& options,
                                                     const std::vector<SocketSpec>& places,
                                                     TimePoint deadline, Clock& clock,
                                                     Logger& logger) {
  std::vector<std::unique_ptr<RedisRoute>> holders;
  OpenRoute opened = open_route(options, places, RedisServers::Turn::kInOrder, clock, logger);
  if (opened.cluster == nullptr) {
    holders.push_back(std::move(opened.route));
    return holders;
  }
  const RedisLogin login = login_of(options);
  for (const SocketSpec& master : opened.cluster->masters(deadline))
    holders.push_back(std::make_unique<RedisServer>(master, login, clock, logger));
  return holders;
}

std::string glob_of(std::string_view prefix, std::string_view rest) {
  std::string out;
  for (const char c : prefix) {
    if (std::string_view("*?[]\\^").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out += rest;
}

Status scan_keys(RedisRoute& holder, const std::string& glob,
                 const std::function<TimePoint()>& deadline,
                 const std::function<Status(const std::vector<RedisReply>&)>& each) {
  std::string cursor = "0";
  std::optional<std::string> begun_with;
  do {
    CommandList commands;
    commands.add({"SCAN", cursor, "MATCH", glob, "COUNT", kScanCount});
    commands.add({"INFO", "server"});
    const auto replies = holder.ask(commands, deadline());
    if (!replies) return replies.error();
    const std::string answered = run_id((*replies)[1]);
    if (begun_with.value_or(answered) != answered) {
      return Error{ErrorCode::kUnavailable,
                   "the server was replaced or restarted during the scan: the keys that were read "
                   "are not complete"};
    }
    begun_with = answered;
    const auto& parts = replies->front().elements;
    if (parts.size() != 2) return Error{ErrorCode::kCorrupt, "SCAN: " + replies->front().text};
    cursor = parts[0].text;
    if (Status done = each(parts[1].elements); !done) return done;
  } while (cursor != "0");
  return {};
}

}  // namespace shingled::storage::redis
