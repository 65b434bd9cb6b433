#include "config/system/connect_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "config/system/os_error.h"

namespace shingled {

namespace {

Result<UniqueFd> connect_to(const SocketAddress& address, const ConnectOptions& options,
                            TimePoint deadline, const Clock& clock) {
  Connecting connecting = begin_connect(address, options);
  int failure = connecting.failure;
  if (failure == EINPROGRESS) {
    if (Status ready = wait_for(connecting.fd.get(), POLLOUT, deadline, clock); !ready) {
      return ready.error();
    }
    failure = connect_failure(connecting.fd.get());
  }
  if (failure != 0) return os_error(ErrorCode::kUnavailable, failure);
  return std::move(connecting.fd);
}

}  // namespace

SocketSpec spec_to_connect(const SocketSpec& listens) {
  using Kind = SocketSpec::Kind;
  SocketSpec out = listens;
  if (out.kind == Kind::kUnix) return out;
  if (out.host == "::" || (out.host.empty() && out.kind == Kind::kInet6)) {
    out.host = "::1";
  } else if (out.host.empty() || out.host == "0.0.0.0") {
    out.host = "127.0.0.1";
  }
  return out;
}

bool Connecting::has_failed() const { return failure != 0 && failure != EINPROGRESS; }

Connecting begin_connect(const SocketAddress& address, const ConnectOptions& options) {
  UniqueFd fd(::socket(address.family(), options.type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return {UniqueFd(), errno};
  if (address.family() != AF_UNIX) {
    const int on = 1;
    if (options.no_delay) ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (options.keep_alive) ::setsockopt(fd.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  }
  const int failure = ::connect(fd.get(), address.get(), address.length()) == 0 ? 0 : errno;
  return {std::move(fd), failure};
}

int connect_failure(int fd) {
  int failure = 0;
  socklen_t length = sizeof failure;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &length) == 0 ? failure : errno;
}

Status wait_for(int fd, short events, TimePoint deadline, const Clock& clock) {
  using std::chrono::milliseconds;
  constexpr milliseconds kWaitMax = std::chrono::minutes(1);  // poll takes an int
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - clock.now());
    const milliseconds wait = std::clamp(left, milliseconds(0), kWaitMax);
    pollfd polled{fd, events, 0};
    const int ready = ::poll(&polled, 1, static_cast<int>(wait.count()));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return os_error(ErrorCode::kUnavailable, errno);
    if (ready == 0 && left <= milliseconds(0)) {
      return Error{ErrorCode::kTimeout, "no answer in time"};
    }
  }
}

Result<UniqueFd> connect_within(const std::vector<SocketAddress>& addresses,
                                const ConnectOptions& options, TimePoint deadline,
                                const Clock& clock) {
  Result<UniqueFd> fd = Error{ErrorCode::kUnavailable, "the name has no address"};
  for (const SocketAddress& address : addresses) {
    fd = connect_to(address, options, deadline, clock);
    if (fd) break;
  }
  return fd;
}

}  // namespace shingled
