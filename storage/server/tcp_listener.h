#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"
#include "storage/server/udp_socket.h"

namespace shingled::storage::server {

/// A TCP socket that takes connections, without waiting.
///
/// IPv6 sockets take IPv6 only.
/// Threads: one thread.
class TcpListener {
 public:
  /// Errors: kUnavailable (in use, no such address here), kDenied; both name the address.
  static Result<TcpListener> bind(const SocketAddress& address, UdpSocket::Sharing sharing);
  /// From now on the kernel accepts for it.
  /// Errors: kUnavailable.
  Status listen();

  [[nodiscard]] const SocketAddress& address() const { return address_; }
  [[nodiscard]] int fd() const { return fd_.get(); }

  struct Accepted {
    UniqueFd fd;
    SocketAddress peer;
  };
  enum class None : std::uint8_t {
    kNobody,       ///< nobody waits any more
    kGone,         ///< one has gone before he was taken: look again
    kNoResources,  ///< no descriptor or memory: look again later
  };
  /// The next connection, which will never wait either.
  std::variant<None, Accepted> accept();

  /// Of the kernel, for each direction of a connection: it holds no more for one that does not
  /// read, however much its own limits would let it grow.
  static constexpr int kKernelBufferBytes = 64 * 1024;
  /// Connections the kernel may hold ready for us.
  static constexpr int kBacklog = 1024;

 private:
  TcpListener(UniqueFd fd, const SocketAddress& address) : fd_(std::move(fd)), address_(address) {}

  UniqueFd fd_;
  SocketAddress address_;
};

}  // namespace shingled::storage::server
