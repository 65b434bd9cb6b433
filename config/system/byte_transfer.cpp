#include "config/system/byte_transfer.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "config/system/connect_socket.h"
#include "config/system/os_error.h"

namespace shingled {

namespace {

/// The result of a system call that is repeated while signals interrupt it.
template <typename Call>
ssize_t uninterrupted(const Call& call) {
  while (true) {
    const ssize_t count = call();
    if (count >= 0 || errno != EINTR) return count;
  }
}

bool would_block(int number) { return number == EAGAIN || number == EWOULDBLOCK; }

}  // namespace

Result<std::size_t> send_some(int fd, BytesView bytes) {
  const ssize_t count = uninterrupted(
      [&] { return ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT); });
  if (count >= 0) return static_cast<std::size_t>(count);
  if (would_block(errno)) return std::size_t{0};
  return os_error(ErrorCode::kUnavailable, errno);
}

Result<std::optional<std::size_t>> receive_some(int fd, std::span<std::uint8_t> into) {
  const ssize_t count =
      uninterrupted([&] { return ::recv(fd, into.data(), into.size(), MSG_DONTWAIT); });
  if (count >= 0) return std::optional(static_cast<std::size_t>(count));
  if (would_block(errno)) return std::optional<std::size_t>();
  return os_error(ErrorCode::kUnavailable, errno);
}

Status send_all(int fd, BytesView bytes, TimePoint deadline, const Clock& clock) {
  while (!bytes.empty()) {
    const auto sent = send_some(fd, bytes);
    if (!sent) return sent.error();
    bytes = bytes.subspan(*sent);
    if (*sent > 0) continue;
    if (Status ready = wait_for(fd, POLLOUT, deadline, clock); !ready) return ready;
  }
  return {};
}

Status write_all(int fd, BytesView bytes) {
  while (!bytes.empty()) {
    const ssize_t count = uninterrupted([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (count < 0) return os_error(ErrorCode::kUnavailable, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace shingled
