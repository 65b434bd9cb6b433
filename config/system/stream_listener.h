#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "config/base/result.h"
#include "config/system/bound_socket.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"

namespace shingled {

/// A socket where stream connections come in, TCP or unix. It never waits.
/// Threads: one thread.
class StreamListener {
 public:
  /// Binds. It listens, too, if the options name a backlog.
  /// Errors: as bind_socket.
  static Result<StreamListener> bind(const SocketAddress& address, const BindOptions& options);
  /// From now on the kernel accepts connections, at most `backlog` that nobody has taken.
  /// Errors: as os_error, "listen: REASON".
  Status listen(int backlog);

  [[nodiscard]] const SocketAddress& address() const { return socket_.address; }
  [[nodiscard]] int fd() const { return socket_.fd.get(); }
  /// The socket, for a library that accepts by itself.
  UniqueFd release() { return std::move(socket_.fd); }

  struct Accepted {
    UniqueFd fd;  ///< non-blocking
    SocketAddress peer;
  };
  enum class None : std::uint8_t {
    kNobody,       ///< nobody waits any more
    kGone,         ///< a connection ended before it was taken: look again
    kNoResources,  ///< no descriptor or memory, or another error that stays: look again later
  };
  /// The next connection.
  std::variant<None, Accepted> accept();

 private:
  explicit StreamListener(BoundSocket socket) : socket_(std::move(socket)) {}
  BoundSocket socket_;
};

}  // namespace shingled
