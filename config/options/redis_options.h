#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "config/system/socket_address.h"

namespace shingled {

/// Section `storage.redis`: the storage that several daemons, ours and rspamd's, share.
struct RedisOptions {
  /// Asked in turn; the first that answers takes the updates.
  std::vector<SocketSpec> servers = {{SocketSpec::Kind::kInet, "127.0.0.1", 6379, ""}};
  std::vector<SocketSpec> read_servers;   ///< asked instead of `servers`; none = those
  std::vector<SocketSpec> write_servers;  ///< taught instead of `servers`; none = those
  /// `servers` are some members of a Redis cluster, from which the others are learnt.
  bool cluster = false;
  /// So many replicas must have an update before it is acknowledged, 0 to 100: what a failover can
  /// not lose. With fewer replicas than that updates wait in the journal.
  std::uint32_t wait_replicas = 0;
  std::uint32_t db = 0;          ///< number of the database, 0 to 65535
  std::string username;          ///< of an ACL; empty = the default user
  std::string password;          ///< empty = no AUTH
  std::string prefix = "fuzzy";  ///< every key begins with it, 1 to 64 characters
  /// For an answer, 10ms to 1m. While a server is away nobody waits for it.
  std::chrono::milliseconds timeout{500};
  /// Updates that wait on the disk, beside `hashfile`, while no server takes them; 0 to 100000000,
  /// 0 = they are refused.
  std::uint32_t journal_max = 1'000'000;

  /// Answers are taken from memory for so long, 0 to 1h, 0 = never: what others teach and forget is
  /// seen so much later.
  std::chrono::seconds cache_seconds{0};
  std::uint32_t cache_entries = 100'000;  ///< answers kept, 1000 to 100000000

  friend bool operator==(const RedisOptions&, const RedisOptions&) = default;
};

}  // namespace shingled
