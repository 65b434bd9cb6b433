#include "storage/replication/tcp_stream.h"

#include <string_view>
#include <utility>

#include "config/system/byte_transfer.h"
#include "config/system/connect_socket.h"
#include "config/system/os_error.h"

namespace shingled::storage::replication {
namespace {

Error failure(std::string_view what, int code) {
  return os_error(ErrorCode::kUnavailable, code, what);
}

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
  const auto got = receive_some(fd_.get(), into);
  if (!got) return got.error().in("recv");
  if (*got == 0) return Error{ErrorCode::kUnavailable, "closed by the other side"};
  return got->value_or(0);
}

Status TcpStream::write(Bytes& output) {
  BytesView rest = output;
  Status outcome;
  while (!rest.empty()) {
    const auto sent = send_some(fd_.get(), rest);
    if (!sent) outcome = sent.error().in("send");
    if (!sent || *sent == 0) break;
    rest = rest.subspan(*sent);
  }
  output.erase(output.begin(), output.end() - static_cast<std::ptrdiff_t>(rest.size()));
  return outcome;
}

}  // namespace shingled::storage::replication
