#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "config/base/byte_reader.h"
#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"

namespace shingled::storage::replication {

/// A TCP connection that never makes anybody wait.
/// Errors: kUnavailable, with the system's reason.
/// Threads: one thread.
class TcpStream {
 public:
  explicit TcpStream(UniqueFd fd) : fd_(std::move(fd)) {}
  /// Begins to connect; `finish` when it can be written to.
  static Result<TcpStream> connect(const SocketAddress& address);
  Status finish();

  /// What is there, at most `into`; 0 when there is nothing just now. The end is an error.
  Result<std::size_t> read(std::span<std::uint8_t> into);
  /// Sends from the front of `output` and removes what was sent.
  Status write(Bytes& output);
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

}  // namespace shingled::storage::replication
