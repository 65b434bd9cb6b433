#include "storage/client/tcp_channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "config/system/connect_socket.h"

namespace shingled::storage::client {

short TcpChannel::events() const {
  if (broken_) return 0;
  if (!link_.connected) return POLLOUT;
  return static_cast<short>(out_.empty() ? POLLIN : POLLIN | POLLOUT);
}

void TcpChannel::send(BytesView packet) {
  if (broken_ || !protocol::append_frame(packet, out_)) return;
  ++under_way_;
  if (link_.connected) flush();
}

void TcpChannel::attend() {
  if (broken_) return;
  if (!link_.connected) {
    if (connect_failure(fd()) != 0) {
      broken_ = true;
      return;
    }
    link_.connected = true;
  }
  flush();
  read();
}

void TcpChannel::flush() {
  while (!out_.empty()) {
    const auto sent = ::send(fd(), out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      broken_ = errno != EAGAIN;
      return;
    }
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent));
  }
}

/// One read: what a poll announced. The frames are taken by `next_packet` before the next one.
void TcpChannel::read() {
  constexpr std::size_t kReadBytes = 4096;
  if (broken_) return;
  in_.resize(kReadBytes);
  const auto got = recv(fd(), in_.data(), in_.size(), MSG_DONTWAIT);
  if (got > 0) {
    in_.resize(static_cast<std::size_t>(got));
    reader_.feed(in_);
    return;
  }
  in_.clear();
  broken_ = got == 0 || (errno != EAGAIN && errno != EINTR);
}

std::optional<BytesView> TcpChannel::next_packet() {
  const auto packet = reader_.next();
  if (reader_.broken()) broken_ = true;
  return packet;
}

}  // namespace shingled::storage::client
