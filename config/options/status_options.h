#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "config/system/socket_address.h"

namespace shingled {

/// Section `status`: what the running daemon tells about itself over HTTP. Whoever can connect may
/// ask: there are counts and stored digests, no keys and no mail.
struct StatusOptions {
  /// Of the HTTP service; a unix socket has mode 0660. Empty = off.
  std::vector<SocketSpec> listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 11340, ""}};
  /// At the same time on each address of `listen`, half of them of one client, 2 to 10000.
  std::uint32_t connections_max = 64;
  std::chrono::seconds timeout{10};  ///< for a question and its answer together, 1s to 10m
  std::uint32_t matches_max = 100;   ///< that one question may get, 1 to 10000

  friend bool operator==(const StatusOptions&, const StatusOptions&) = default;
};

}  // namespace shingled
