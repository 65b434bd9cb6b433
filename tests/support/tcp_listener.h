#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <chrono>

#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"

namespace shingled::testing {

/// A TCP socket on loopback that takes connections.
/// Threads: one thread.
class TcpListener {
 public:
  /// Port 0 = any.
  explicit TcpListener(std::uint16_t port = 0) {
    const SocketAddress wanted(*IpAddress::parse("127.0.0.1"), port);
    fd_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    (void)setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    ok_ = bind(fd_.get(), wanted.get(), wanted.length()) == 0 && listen(fd_.get(), 64) == 0;
    sockaddr_storage bound{};
    socklen_t length = sizeof bound;
    (void)getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&bound), &length);
    address_ = SocketAddress(reinterpret_cast<sockaddr*>(&bound), length);
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const SocketAddress& address() const { return address_; }
  /// The next connection; none when nobody comes in that time.
  UniqueFd accept(std::chrono::milliseconds within = std::chrono::seconds(20)) {
    pollfd wait{fd_.get(), POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(within.count())) <= 0) return {};
    return UniqueFd(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }

 private:
  UniqueFd fd_;
  SocketAddress address_;
  bool ok_ = false;
};

}  // namespace shingled::testing
