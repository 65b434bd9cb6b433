#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <utility>

#include "config/system/bound_socket.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"

namespace shingled::testing {

/// A TCP socket on loopback that accepts connections.
/// Threads: one thread.
class TcpListener {
 public:
  /// Port 0 = any free port.
  explicit TcpListener(std::uint16_t port = 0) {
    auto bound = bind_socket({*IpAddress::parse("127.0.0.1"), port}, {.backlog = 64});
    ok_ = bound.has_value();
    if (ok_) socket_ = *std::move(bound);
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] int fd() const { return socket_.fd.get(); }
  [[nodiscard]] const SocketAddress& address() const { return socket_.address; }
  /// The next connection; empty if none comes in that time.
  UniqueFd accept(std::chrono::milliseconds within = std::chrono::seconds(20)) {
    pollfd wait{fd(), POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(within.count())) <= 0) return {};
    return UniqueFd(::accept4(fd(), nullptr, nullptr, SOCK_CLOEXEC));
  }

 private:
  BoundSocket socket_;
  bool ok_ = false;
};

}  // namespace shingled::testing
