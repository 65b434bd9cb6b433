#include "config/system/stream_listener.h"

#include <sys/socket.h>

#include <cerrno>

#include "config/system/os_error.h"

namespace shingled {

Result<StreamListener> StreamListener::bind(const SocketAddress& address,
                                            const BindOptions& options) {
  auto socket = bind_socket(address, options);
  if (!socket) return socket.error();
  return StreamListener(*std::move(socket));
}

Status StreamListener::listen(int backlog) {
  if (::listen(fd(), backlog) == 0) return {};
  return os_error(errno, "listen");
}

std::variant<StreamListener::None, StreamListener::Accepted> StreamListener::accept() {
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  UniqueFd accepted(
      ::accept4(fd(), reinterpret_cast<sockaddr*>(&peer), &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (accepted) {
    return Accepted{std::move(accepted),
                    SocketAddress(reinterpret_cast<const sockaddr*>(&peer), length)};
  }
  switch (errno) {
    case EAGAIN:
      return None::kNobody;
    case EINTR:
    // accept(2): errors of the network come with the connection that they end.
    case ECONNABORTED:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETDOWN:
    case ENETUNREACH:
    case ENONET:
    case ENOPROTOOPT:
    case EOPNOTSUPP:
    case EPERM:  // a firewall
    case EPROTO:
    case ETIMEDOUT:
      return None::kGone;
    default:  // looking again at once would find the same
      return None::kNoResources;
  }
}

}  // namespace shingled
