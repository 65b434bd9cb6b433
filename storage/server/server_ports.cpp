#include "storage/server/server_ports.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <utility>

#include "config/system/bound_socket.h"

namespace shingled::storage::server {

namespace {

// If the kernel chooses the port, it chooses a free UDP port. The TCP port of the same number may
// be in use; then we try again.
constexpr int kPortTries = 16;

/// The kernel's buffer for each direction of a connection. A fixed size keeps the kernel from
/// growing the buffer for a client that does not read.
constexpr int kKernelBufferBytes = 64 * 1024;
/// Connections that wait for `accept`.
constexpr int kBacklog = 1024;

Result<std::vector<SocketAddress>> resolve_all(const std::vector<SocketSpec>& specs) {
  for (const SocketSpec& spec : specs) {
    if (spec.kind == SocketSpec::Kind::kUnix) {
      return Error{ErrorCode::kInvalid,
                   "the fuzzy service listens on IP addresses, not on '" + spec.to_string() + "'"};
    }
  }
  return SocketAddress::resolve_all(specs);
}

Result<StreamListener> bind_tcp(const SocketAddress& address, UdpSocket::Sharing sharing) {
  // Accepted connections inherit these options.
  std::vector<SocketOption> options{{SOL_SOCKET, SO_RCVBUF, kKernelBufferBytes},
                                    {SOL_SOCKET, SO_SNDBUF, kKernelBufferBytes},
                                    {IPPROTO_TCP, TCP_NODELAY}};
  if (sharing == UdpSocket::Sharing::kAmongUs) options.push_back({SOL_SOCKET, SO_REUSEPORT});
  auto listener = StreamListener::bind(address, {.more = std::move(options)});
  if (!listener) return listener.error().in("tcp " + address.to_string());
  return listener;
}

/// Binds one socket for each worker, all on the port of `address`.
template <typename Socket, typename Bind>
Result<std::vector<Socket>> bind_for_all(const SocketAddress& address, std::size_t workers,
                                         const Bind& bind) {
  // With SO_REUSEPORT, a second daemon could share the port without an error. So first check that
  // the port is free.
  if (auto probe = bind(address, UdpSocket::Sharing::kAlone); !probe) return probe.error();
  std::vector<Socket> sockets;
  for (std::size_t i = 0; i < workers; ++i) {
    auto socket = bind(address, UdpSocket::Sharing::kAmongUs);
    if (!socket) return socket.error();
    sockets.push_back(std::move(*socket));
  }
  return sockets;
}

/// All sockets on one address: a UDP socket and a TCP socket for each worker.
struct Bound {
  std::vector<UdpSocket> udp;
  std::vector<StreamListener> tcp;
};

Result<Bound> bind_both(const SocketAddress& address, const ServerOptions& options,
                        std::size_t workers) {
  Bound bound;
  auto udp = bind_for_all<UdpSocket>(
      address, workers, [&](const SocketAddress& where, UdpSocket::Sharing sharing) {
        return UdpSocket::bind(where, sharing, options.socket_buffer_bytes);
      });
  if (!udp) return udp.error();
  bound.udp = std::move(*udp);
  if (options.tcp_connections_max == 0) return bound;
  auto tcp = bind_for_all<StreamListener>(address, workers, bind_tcp);
  if (!tcp) return tcp.error();
  bound.tcp = std::move(*tcp);
  for (StreamListener& listener : bound.tcp) {
    if (Status status = listener.listen(kBacklog); !status)
      return status.error().in("tcp " + address.to_string());
  }
  return bound;
}

/// A free port. Uses a socket without SO_REUSEPORT: with it, the kernel could choose a port that
/// another socket shares.
Result<SocketAddress> free_port(const SocketAddress& address, const ServerOptions& options) {
  const auto alone =
      UdpSocket::bind(address, UdpSocket::Sharing::kAlone, options.socket_buffer_bytes);
  if (!alone) return alone.error();
  return alone->address();
}

/// As `bind_both`, on a port that is free for UDP and TCP; the kernel chooses the UDP port.
Result<Bound> bind_somewhere(const SocketAddress& address, const ServerOptions& options,
                             std::size_t workers) {
  Result<Bound> bound = Bound{};
  for (int i = 0; i < kPortTries; ++i) {
    const auto chosen = free_port(address, options);
    if (!chosen) return chosen.error();
    bound = bind_both(*chosen, options, workers);
    if (bound) break;
  }
  return bound;
}

/// Whether the machine has this address only if it has IPv6 at all: it may be switched off in the
/// kernel, while our default is to listen on both loopback addresses.
bool needs_ipv6_alone(const SocketAddress& address) {
  const auto ip = address.ip();
  return ip && ip->family == IpAddress::Family::kV6 && ip->is_loopback();
}

bool machine_has(const SocketAddress& address) {
  SocketAddress any_port(*address.ip(), 0);
  return bind_socket(any_port, {.type = SOCK_DGRAM}).has_value();
}

}  // namespace

Result<ServerPorts> ServerPorts::open(const ServerOptions& options, std::size_t workers) {
  auto addresses = resolve_all(options.listen);
  if (!addresses) return addresses.error();
  ServerPorts ports;
  Status why;
  ports.udp.resize(workers);
  if (options.tcp_connections_max != 0) ports.tcp.resize(workers);
  for (const SocketAddress& address : *addresses) {
    auto bound = address.port() == 0 ? bind_somewhere(address, options, workers)
                                     : bind_both(address, options, workers);
    if (!bound && needs_ipv6_alone(address) && !machine_has(address)) {
      ports.left_out.push_back(address);
      why = bound.error();
      continue;
    }
    if (!bound) return bound.error();
    ports.addresses.push_back(bound->udp.front().address());
    for (std::size_t i = 0; i < workers; ++i) {
      ports.udp[i].push_back(std::move(bound->udp[i]));
      if (!ports.tcp.empty()) ports.tcp[i].push_back(std::move(bound->tcp[i]));
    }
  }
  if (ports.addresses.empty() && !why) return why.error();
  return ports;
}

}  // namespace shingled::storage::server
