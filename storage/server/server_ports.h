#pragma once

#include <cstddef>
#include <vector>

#include "config/base/result.h"
#include "config/options/storage_options.h"
#include "config/system/socket_address.h"
#include "config/system/stream_listener.h"
#include "storage/server/udp_socket.h"

namespace shingled::storage::server {

/// The sockets of a server: for each listening address one for every worker, of UDP and of TCP, all
/// on one port. The kernel spreads the senders over them.
struct ServerPorts {
  std::vector<SocketAddress> addresses;
  std::vector<std::vector<UdpSocket>> udp;  ///< [worker][address]
  std::vector<std::vector<StreamListener>>
      tcp;  ///< likewise; empty without TCP. Listening already.

  /// Errors: kDenied or kUnavailable, naming transport and address (port in use, no permission),
  /// kNotFound (no such host), kInvalid (a path instead of an address).
  static Result<ServerPorts> open(const ServerOptions& options, std::size_t workers);
};

}  // namespace shingled::storage::server
