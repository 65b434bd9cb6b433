#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <optional>

#include "config/base/byte_reader.h"
#include "config/system/bound_socket.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"

namespace shingled::testing {

/// A UDP socket on loopback for the client or the server side of a test.
/// Threads: one thread.
class UdpPeer {
 public:
  explicit UdpPeer(const char* ip = "127.0.0.1") {
    const SocketAddress any(*IpAddress::parse(ip), 0);
    fd_ = UniqueFd(socket(any.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
    (void)bind(fd_.get(), any.get(), any.length());
    address_ = address_of_socket(fd_.get());
  }

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const SocketAddress& address() const { return address_; }
  void send(BytesView packet, const SocketAddress& to) {
    (void)sendto(fd_.get(), packet.data(), packet.size(), 0, to.get(), to.length());
  }
  /// The next packet; nullopt if none comes in that time. Remembers the sender.
  std::optional<Bytes> receive(std::chrono::milliseconds within = std::chrono::seconds(20)) {
    pollfd wait{fd_.get(), POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(within.count())) <= 0) return std::nullopt;
    Bytes packet(2048);
    sockaddr_storage from{};
    socklen_t length = sizeof from;
    const auto got = recvfrom(fd_.get(), packet.data(), packet.size(), 0,
                              reinterpret_cast<sockaddr*>(&from), &length);
    if (got < 0) return std::nullopt;
    from_ = SocketAddress(reinterpret_cast<sockaddr*>(&from), length);
    packet.resize(static_cast<std::size_t>(got));
    return packet;
  }
  /// The sender of the packet that `receive` returned last.
  [[nodiscard]] const SocketAddress& from() const { return from_; }

 private:
  UniqueFd fd_;
  SocketAddress address_;
  SocketAddress from_;
};

}  // namespace shingled::testing
