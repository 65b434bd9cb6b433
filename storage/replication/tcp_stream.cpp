#include "storage/replication/tcp_stream.h"

#include <sys/socket.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "config/system/connect_socket.h"
#include "config/system/os_error.h"

namespace shingled::storage::replication {
namespace {

Error failure(std::string_view what, int code) {
  return os_error(ErrorCode::kUnavailable, code, what);
}

bool is_later(int code) { return code == EAGAIN || code == EWOULDBLOCK || code == EINTR; }

}  // namespace

Result<TcpStream> TcpStream::connect(const SocketAddress& address) {
  Connecting connecting = begin_connect(address, {.no_delay = true});
  if (!connecting.fd) return failure("socket", connecting.failure);
  if (connecting.has_failed()) return failure("connect", connecting.failure);
  return TcpStream(std::move(connecting.fd));
}

Status TcpStream::finish() {
  const int code = connect_failure(fd_.get());
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

}  // namespace shingled::storage::replication
