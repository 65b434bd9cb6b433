#include "storage/redis/route/redis_url.h"

#include <optional>
#include <string>

#include "config/base/hex.h"
#include "config/base/number_text.h"

namespace shingled::storage::redis {

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

}  // namespace shingled::storage::redis
