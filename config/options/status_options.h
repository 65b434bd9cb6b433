#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "config/system/socket_address.h"

namespace shingled {

/// Section `status`: HTTP pages of the running daemon. Everybody who can connect may read them:
/// they have counts and stored digests, but no keys and no mail.
struct StatusOptions {
  /// Of the HTTP service; a unix socket has mode 0660. Empty = off.
  std::vector<SocketSpec> listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 11340, ""}};
  /// Connections at the same time for each address of `listen`, half of them for one client
  /// address; 2 to 10000.
  std::uint32_t connections_max = 64;
  std::chrono::seconds timeout{10};  ///< for a request and its answer together, 1s to 10m
  std::uint32_t matches_max = 100;   ///< stored hashes in one answer; not in the file

  friend bool operator==(const StatusOptions&, const StatusOptions&) = default;
};

}  // namespace shingled
