#pragma once

#include <cstddef>
#include <vector>

#include "config/base/result.h"
#include "config/options/storage_options.h"
#include "config/system/socket_address.h"
#include "config/system/stream_listener.h"
#include "storage/server/udp_socket.h"

namespace shingled::storage::server {

/// The sockets of a server. For each listening address, each worker has a UDP socket and a TCP
/// socket, all on one port. The kernel distributes the senders over the workers.
struct ServerPorts {
  std::vector<SocketAddress> addresses;
  /// IPv6 loopback, on a machine without IPv6, where there are other addresses.
  std::vector<SocketAddress> left_out;
  std::vector<std::vector<UdpSocket>> udp;  ///< [worker][address]
  /// [worker][address]; listening already. Empty without TCP.
  std::vector<std::vector<StreamListener>> tcp;

  /// Errors: kDenied or kUnavailable, with transport and address (port in use, no permission);
  /// kNotFound (no such host); kInvalid (a path instead of an address).
  static Result<ServerPorts> open(const ServerOptions& options, std::size_t workers);
};

}  // namespace shingled::storage::server
