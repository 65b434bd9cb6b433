#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "config/system/socket_address.h"

namespace shingled {

/// Section `storage.redis`: the storage that several daemons, ours and rspamd's, share.
struct RedisOptions {
  /// Look-ups use them in turn; updates go to the first one that answers.
  std::vector<SocketSpec> servers = {{SocketSpec::Kind::kInet, "127.0.0.1", 6379, ""}};
  std::vector<SocketSpec> read_servers;   ///< for look-ups instead; none = `servers`
  std::vector<SocketSpec> write_servers;  ///< for updates instead; none = `servers`
  /// `servers` are some members of a Redis cluster; the others are discovered.
  bool cluster = false;
  /// Replicas that must have an update before it is acknowledged, so that no failover loses it; 0
  /// to 100. While there are fewer replicas, updates wait in the journal.
  std::uint32_t wait_replicas = 0;
  std::uint32_t db = 0;          ///< number of the database, 0 to 65535
  std::string username;          ///< of an ACL; empty = the default user
  std::string password;          ///< empty = no AUTH
  std::string prefix = "fuzzy";  ///< of every key, 1 to 64 characters
  /// Longest wait for an answer, 10ms to 1m. While a server is away, nothing waits for it.
  std::chrono::milliseconds timeout{500};
  /// Updates that may wait on disk, beside `hashfile`, while no server accepts them; 0 to
  /// 100000000, 0 = they are refused.
  std::uint32_t journal_max = 1'000'000;

  /// Answers are reused from memory for this long, 0 to 1h, 0 = never. Changes by other daemons are
  /// seen that much later.
  std::chrono::seconds cache_seconds{0};
  std::uint32_t cache_entries = 100'000;  ///< answers kept; not in the file

  friend bool operator==(const RedisOptions&, const RedisOptions&) = default;
};

}  // namespace shingled
