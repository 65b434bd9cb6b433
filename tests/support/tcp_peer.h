#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <optional>

#include "config/base/byte_reader.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"
#include "storage/protocol/codec.h"

namespace shingled::testing {

/// The client's end of a TCP connection, from any loopback address.
/// Threads: one thread.
class TcpPeer {
 public:
  struct Options {
    const char* from = "127.0.0.1";
    int receive_buffer = 0;  ///< bytes in the kernel; 0 = default
  };
  explicit TcpPeer(const SocketAddress& to) : TcpPeer(to, Options{}) {}
  TcpPeer(const SocketAddress& to, const Options& options) {
    const bool v6 = to.family() == AF_INET6;
    fd_ = UniqueFd(socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (options.receive_buffer != 0) {
      (void)setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &options.receive_buffer,
                       sizeof options.receive_buffer);
    }
    const SocketAddress from(*IpAddress::parse(v6 ? "::1" : options.from), 0);
    (void)bind(fd_.get(), from.get(), from.length());
    const int at_once = 1;  // a request is sent even if the one before was not acknowledged
    (void)setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    connected_ = connect(fd_.get(), to.get(), to.length()) == 0;
  }

  [[nodiscard]] bool connected() const { return connected_; }
  void send(BytesView bytes) { (void)::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  /// Sends without waiting. Returns the number of bytes that the kernel accepted.
  std::size_t send_some(BytesView bytes) {
    const auto sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent > 0 ? static_cast<std::size_t>(sent) : 0;
  }
  void send_frame(BytesView payload) {
    Bytes frame;
    (void)storage::protocol::append_frame(payload, frame);
    send(frame);
  }
  void end_sending() { shutdown(fd_.get(), SHUT_WR); }
  /// The next frame; nullopt if the other side closed or nothing comes in that time.
  std::optional<Bytes> receive(std::chrono::milliseconds within = std::chrono::seconds(20)) {
    while (true) {
      if (const auto frame = reader_.next()) return Bytes(frame->begin(), frame->end());
      const std::size_t count = read(within);
      if (count == 0) return std::nullopt;
      reader_.feed(BytesView(buffer_).first(count));
    }
  }
  /// Waits until the other side has closed. Returns false if it did not in that time. Bytes that
  /// come before are discarded.
  bool is_closed(std::chrono::milliseconds within = std::chrono::seconds(20)) {
    while (!closed_ && read(within) != 0) {
    }
    return closed_;
  }

 private:
  static constexpr std::size_t kReadBytes = 16'384;

  std::size_t read(std::chrono::milliseconds within) {
    pollfd wait{fd_.get(), POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(within.count())) <= 0) return 0;
    buffer_.resize(kReadBytes);
    const auto got = recv(fd_.get(), buffer_.data(), buffer_.size(), 0);
    if (got <= 0) closed_ = true;
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }

  UniqueFd fd_;
  bool connected_ = false;
  bool closed_ = false;
  storage::protocol::FrameReader reader_;
  Bytes buffer_;  // the reader refers to it
};

}  // namespace shingled::testing
