#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "config/base/byte_reader.h"
#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"

namespace shingled::storage::replication {

/// A TCP connection that never waits (non-blocking).
/// Errors: kUnavailable, with the system's reason.
/// Threads: one thread.
class TcpStream {
 public:
  explicit TcpStream(UniqueFd fd) : fd_(std::move(fd)) {}
  /// Begins to connect. Call `finish` when the socket is writable.
  static Result<TcpStream> connect(const SocketAddress& address);
  Status finish();

  /// Reads at most `into.size()` bytes. Returns 0 if there is nothing to read now. The end of the
  /// stream is an error.
  Result<std::size_t> read(std::span<std::uint8_t> into);
  /// Sends bytes from the front of `output` and removes the sent bytes.
  Status write(Bytes& output);
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

}  // namespace shingled::storage::replication
