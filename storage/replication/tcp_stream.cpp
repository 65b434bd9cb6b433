#include "storage/replication/tcp_stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace shingled::storage::replication {
namespace {

constexpr int kBacklog = 256;  // whoever calls while many do is not to wait for a second try

Error failure(const char* what, int code) {
  return {ErrorCode::kUnavailable, std::string(what) + ": " + std::strerror(code)};
}

bool is_later(int code) { return code == EAGAIN || code == EWOULDBLOCK || code == EINTR; }

void send_at_once(int fd) {
  const int yes = 1;
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

}  // namespace

Result<TcpStream> TcpStream::connect(const SocketAddress& address) {
  UniqueFd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return failure("socket", errno);
  send_at_once(fd.get());
  if (::connect(fd.get(), address.get(), address.length()) != 0 && errno != EINPROGRESS) {
    return failure("connect", errno);
  }
  return TcpStream(std::move(fd));
}

Status TcpStream::finish() {
  int code = 0;
  socklen_t length = sizeof code;
  if (::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &code, &length) != 0) code = errno;
  if (code != 0) return failure("connect", code);
  return {};
}

Result<std::size_t> TcpStream::read(std::span<std::uint8_t> into) {
  const ssize_t got = ::recv(fd_.get(), into.data(), into.size(), 0);
  if (got > 0) return static_cast<std::size_t>(got);
  if (got == 0) return Error{ErrorCode::kUnavailable, "closed by the other side"};
  if (is_later(errno)) return std::size_t{0};
  return failure("recv", errno);
}

Status TcpStream::write(Bytes& output) {
  std::size_t sent = 0;
  Status outcome;
  while (sent < output.size()) {
    const ssize_t count =
        ::send(fd_.get(), output.data() + sent, output.size() - sent, MSG_NOSIGNAL);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
      continue;
    }
    if (!is_later(errno)) outcome = failure("send", errno);
    break;
  }
  output.erase(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(sent));
  return outcome;
}

Result<StreamListener> StreamListener::open(const SocketAddress& address) {
  UniqueFd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return failure("socket", errno);
  const int yes = 1;
  (void)setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (address.family() == AF_INET6) {
    (void)setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
  }
  if (::bind(fd.get(), address.get(), address.length()) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    return failure(("cannot listen on " + address.to_string()).c_str(), errno);
  }
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  (void)::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&bound), &length);
  return StreamListener(std::move(fd), {reinterpret_cast<sockaddr*>(&bound), length});
}

std::optional<StreamListener::Caller> StreamListener::accept() {
  sockaddr_storage from{};
  socklen_t length = sizeof from;
  UniqueFd fd(::accept4(fd_.get(), reinterpret_cast<sockaddr*>(&from), &length,
                        SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd) return std::nullopt;
  send_at_once(fd.get());
  return Caller{TcpStream(std::move(fd)), {reinterpret_cast<sockaddr*>(&from), length}};
}

}  // namespace shingled::storage::replication
