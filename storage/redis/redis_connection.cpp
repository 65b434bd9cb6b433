#include "storage/redis/redis_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace shingled::storage::redis {

namespace {

constexpr std::size_t kReadBytes = 16UL * 1024;

Error failed(const char* doing) {
  std::array<char, 128> text{};
  return {ErrorCode::kUnavailable,
          std::string(doing) + ": " + ::strerror_r(errno, text.data(), text.size())};
}

/// Waits for the socket; false when the deadline passed first.
bool wait_for(int fd, short events, TimePoint deadline, const Clock& clock) {
  using std::chrono::milliseconds;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - clock.now());
    pollfd wait{fd, events, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(std::max(left, milliseconds(0)).count()));
    if (ready > 0) return true;
    if (ready == 0 && left <= milliseconds(0)) return false;
    if (ready < 0 && errno != EINTR) return false;
  }
}

Result<UniqueFd> connect_to(const sockaddr* address, socklen_t length, TimePoint deadline,
                            const Clock& clock) {
  UniqueFd fd(::socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return failed("socket");
  if (address->sa_family != AF_UNIX) {
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(fd.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  }
  if (::connect(fd.get(), address, length) == 0) return fd;
  if (errno != EINPROGRESS) return failed("connecting");
  if (!wait_for(fd.get(), POLLOUT, deadline, clock)) {
    return Error{ErrorCode::kTimeout, "connecting: no answer in time"};
  }
  int outcome = 0;
  socklen_t size = sizeof outcome;
  ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &outcome, &size);
  if (outcome == 0) return fd;
  errno = outcome;
  return failed("connecting");
}

Result<UniqueFd> connect_to_path(const std::string& path, TimePoint deadline, const Clock& clock) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return Error{ErrorCode::kInvalid, path + ": the path of a socket has at most 107 bytes"};
  }
  std::memcpy(static_cast<char*>(address.sun_path), path.data(), path.size());
  return connect_to(reinterpret_cast<const sockaddr*>(&address), sizeof address, deadline, clock);
}

Result<UniqueFd> connect_to_any(const std::vector<SocketAddress>& addresses, TimePoint deadline,
                                const Clock& clock) {
  Result<UniqueFd> fd = Error{ErrorCode::kUnavailable, "the name has no address"};
  for (const SocketAddress& address : addresses) {
    fd = connect_to(address.get(), address.length(), deadline, clock);
    if (fd) break;
  }
  return fd;
}

}  // namespace

Result<std::unique_ptr<RedisConnection>> RedisConnection::open(const SocketSpec& server,
                                                               const RedisLogin& login,
                                                               TimePoint deadline,
                                                               const Clock& clock) {
  if (server.kind == SocketSpec::Kind::kUnix) {
    return begin(connect_to_path(server.path, deadline, clock), login, deadline, clock);
  }
  const auto addresses = SocketAddress::resolve(server);
  if (!addresses) return Error{ErrorCode::kUnavailable, addresses.error().message};
  return open_at(*addresses, login, deadline, clock);
}

Result<std::unique_ptr<RedisConnection>> RedisConnection::open_at(
    const std::vector<SocketAddress>& addresses, const RedisLogin& login, TimePoint deadline,
    const Clock& clock) {
  return begin(connect_to_any(addresses, deadline, clock), login, deadline, clock);
}

Result<std::unique_ptr<RedisConnection>> RedisConnection::begin(Result<UniqueFd> fd,
                                                                const RedisLogin& login,
                                                                TimePoint deadline,
                                                                const Clock& clock) {
  if (!fd) return fd.error();
  std::unique_ptr<RedisConnection> connection(new RedisConnection(*std::move(fd), clock));
  if (Status greeted = connection->greet(login, deadline); !greeted) return greeted.error();
  return connection;
}

Status RedisConnection::greet(const RedisLogin& login, TimePoint deadline) {
  CommandList commands;
  if (!login.password.empty()) {
    if (login.username.empty()) {
      commands.add({"AUTH", login.password});
    } else {
      commands.add({"AUTH", login.username, login.password});
    }
  }
  if (login.db != 0) commands.add({"SELECT", std::to_string(login.db)});
  if (commands.empty()) return {};
  const auto replies = ask(commands, deadline);
  if (!replies) return replies.error();
  for (const RedisReply& reply : *replies) {
    if (reply.is_error()) return Error{ErrorCode::kDenied, reply.text};
  }
  return {};
}

Result<std::vector<RedisReply>> RedisConnection::ask(const CommandList& commands,
                                                     TimePoint deadline) {
  std::vector<RedisReply> replies;
  replies.reserve(commands.size());
  std::string_view unsent = commands.bytes();
  // Answers are read while questions are still being sent: neither side can wait for the other.
  while (replies.size() < commands.size()) {
    const auto events = static_cast<short>(unsent.empty() ? POLLIN : POLLIN | POLLOUT);
    if (!wait_for(fd_.get(), events, deadline, clock_)) {
      return Error{ErrorCode::kTimeout, "no answer in time"};
    }
    if (Status sent = send_some(unsent); !sent) return sent.error();
    if (Status received = receive_some(); !received) return received.error();
    while (replies.size() < commands.size()) {
      auto reply = reader_.next();
      if (!reply) return reply.error();
      if (!*reply) break;
      replies.push_back(**std::move(reply));
    }
  }
  return replies;
}

Status RedisConnection::send_some(std::string_view& unsent) {
  if (unsent.empty()) return {};
  const ssize_t sent = ::send(fd_.get(), unsent.data(), unsent.size(), MSG_NOSIGNAL);
  if (sent >= 0) {
    unsent.remove_prefix(static_cast<std::size_t>(sent));
    return {};
  }
  if (errno == EAGAIN || errno == EINTR) return {};
  return failed("sending");
}

Status RedisConnection::receive_some() {
  std::array<std::uint8_t, kReadBytes> bytes;  // NOLINT: filled by recv
  const ssize_t count = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
  if (count > 0) return reader_.feed(BytesView(bytes).first(static_cast<std::size_t>(count)));
  if (count == 0) return Error{ErrorCode::kUnavailable, "the server closed the connection"};
  if (errno == EAGAIN || errno == EINTR) return {};
  return failed("receiving");
}

}  // namespace shingled::storage::redis
