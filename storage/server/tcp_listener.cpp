#include "storage/server/tcp_listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace shingled::storage::server {

namespace {

Error failure(const SocketAddress& address, const char* what) {
  const ErrorCode code =
      errno == EACCES || errno == EPERM ? ErrorCode::kDenied : ErrorCode::kUnavailable;
  return {code, "tcp " + address.to_string() + ": " + what + ": " + std::strerror(errno)};
}

bool set(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

}  // namespace

Result<TcpListener> TcpListener::bind(const SocketAddress& address, UdpSocket::Sharing sharing) {
  UniqueFd fd(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return failure(address, "socket");
  // Connections of a daemon that was here before may not have ended yet.
  bool ready = set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (sharing == UdpSocket::Sharing::kAmongUs)
    ready = ready && set(fd.get(), SOL_SOCKET, SO_REUSEPORT, 1);
  if (address.family() == AF_INET6) ready = ready && set(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
  // What is accepted takes these over.
  ready = ready && set(fd.get(), SOL_SOCKET, SO_RCVBUF, kKernelBufferBytes) &&
          set(fd.get(), SOL_SOCKET, SO_SNDBUF, kKernelBufferBytes) &&
          set(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  if (!ready) return failure(address, "setsockopt");
  if (::bind(fd.get(), address.get(), address.length()) != 0) return failure(address, "bind");
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (getsockname(fd.get(), reinterpret_cast<sockaddr*>(&bound), &length) != 0)
    return failure(address, "getsockname");
  return TcpListener(std::move(fd), SocketAddress(reinterpret_cast<sockaddr*>(&bound), length));
}

Status TcpListener::listen() {
  if (::listen(fd_.get(), kBacklog) == 0) return {};
  return failure(address_, "listen");
}

std::variant<TcpListener::None, TcpListener::Accepted> TcpListener::accept() {
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  UniqueFd fd(accept4(fd_.get(), reinterpret_cast<sockaddr*>(&peer), &length,
                      SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (fd) {
    return Accepted{std::move(fd), SocketAddress(reinterpret_cast<sockaddr*>(&peer), length)};
  }
  switch (errno) {
    case EAGAIN:
      return None::kNobody;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return None::kNoResources;
    default:  // accept(2): errors of the network come with the connection they end
      return None::kGone;
  }
}

}  // namespace shingled::storage::server
