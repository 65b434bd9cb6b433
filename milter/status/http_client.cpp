#include "milter/status/http_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "config/base/ascii.h"
#include "config/base/number_text.h"
#include "config/system/unique_fd.h"

namespace shingled::milter::status {

namespace {

Error unavailable(const SocketSpec& server) {
  return {ErrorCode::kUnavailable,
          server.to_string() + ": " + std::generic_category().message(errno)};
}

/// Waits until the socket can do it.
Status wait_for(const UniqueFd& fd, short what, const Clock& clock, TimePoint deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.now()).count();
    if (left <= 0) return Error{ErrorCode::kTimeout, "no answer in time"};
    pollfd ask{fd.get(), what, 0};
    const int ready = ::poll(&ask, 1, static_cast<int>(std::min<decltype(left)>(left, 60'000)));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) {
      return Error{ErrorCode::kUnavailable, std::generic_category().message(errno)};
    }
  }
}

/// Connects within the deadline; errno tells why not.
Result<UniqueFd> connect_to(const sockaddr* address, socklen_t length, const SocketSpec& server,
                            const Clock& clock, TimePoint deadline) {
  UniqueFd fd(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return unavailable(server);
  if (::connect(fd.get(), address, length) == 0) return fd;
  if (errno != EINPROGRESS) return unavailable(server);
  if (Status ready = wait_for(fd, POLLOUT, clock, deadline); !ready) {
    return ready.error().in(server.to_string());
  }
  socklen_t size = sizeof errno;
  int failure = 0;
  ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &failure, &size);
  errno = failure;
  if (failure != 0) return unavailable(server);
  return fd;
}

Result<UniqueFd> connect_to(const SocketSpec& server, const Clock& clock, TimePoint deadline) {
  if (server.kind == SocketSpec::Kind::kUnix) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (server.path.size() >= sizeof address.sun_path) {
      return Error{ErrorCode::kInvalid, server.to_string() + ": the path is too long for a socket"};
    }
    std::memcpy(address.sun_path, server.path.data(), server.path.size());
    return connect_to(reinterpret_cast<const sockaddr*>(&address), sizeof address, server, clock,
                      deadline);
  }
  const auto addresses = SocketAddress::resolve(server);
  if (!addresses) return addresses.error();
  std::optional<Error> last;
  for (const SocketAddress& address : *addresses) {
    auto fd = connect_to(address.get(), address.length(), server, clock, deadline);
    if (fd) return fd;
    last = fd.error();
  }
  return last.value_or(Error{ErrorCode::kNotFound, server.to_string() + ": no such host"});
}

Status send_all(const UniqueFd& fd, std::string_view bytes, const Clock& clock,
                TimePoint deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (Status ready = wait_for(fd, POLLOUT, clock, deadline); !ready) return ready;
    } else if (errno != EINTR) {
      return Error{ErrorCode::kUnavailable, std::generic_category().message(errno)};
    }
  }
  return {};
}

Result<std::string> receive_all(const UniqueFd& fd, const Clock& clock, TimePoint deadline) {
  std::string bytes;
  std::array<char, 65'536> buffer{};
  while (bytes.size() <= kReplyBytesMax) {
    const ssize_t count = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
    if (count == 0) return bytes;
    if (count > 0) {
      bytes.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      if (Status ready = wait_for(fd, POLLIN, clock, deadline); !ready) return ready.error();
    } else if (errno != EINTR) {
      return Error{ErrorCode::kUnavailable, std::generic_category().message(errno)};
    }
  }
  return Error{ErrorCode::kLimit, "the reply is too long"};
}

}  // namespace

Result<HttpReply> parse_http_reply(std::string_view bytes) {
  const Error no_http{ErrorCode::kInvalid, "the answer is not HTTP"};
  const std::size_t head_end = bytes.find("\r\n\r\n");
  if (!bytes.starts_with("HTTP/1.") || head_end == std::string_view::npos) return no_http;
  std::string_view head = bytes.substr(0, head_end + 2);
  HttpReply reply;
  const std::size_t code = head.find(' ');
  if (code == std::string_view::npos || code + 4 > head.size()) return no_http;
  const auto status = parse_whole<unsigned>(head.substr(code + 1, 3));
  if (!status) return no_http;
  reply.status = *status;
  reply.body = bytes.substr(head_end + 4);
  for (std::size_t end = head.find("\r\n"); end != std::string_view::npos;
       head.remove_prefix(end + 2), end = head.find("\r\n")) {
    const std::string_view line = head.substr(0, end);
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::string name = ascii::to_lower(line.substr(0, colon));
    const std::string_view value = line.substr(colon + 2);
    if (name == "content-type") reply.type = value;
    if (name == "content-length" && value != std::to_string(reply.body.size())) {
      return Error{ErrorCode::kInvalid, "the answer is cut off"};
    }
  }
  return reply;
}

namespace {

Result<HttpReply> ask(const char* method, const SocketSpec& server, const std::string& target,
                      const Clock& clock, TimePoint deadline) {
  const auto fd = connect_to(server, clock, deadline);
  if (!fd) return fd.error();
  const std::string request = std::string(method) + ' ' + target +
                              " HTTP/1.1\r\nHost: localhost\r\n" + kDirectHeader +
                              ": 1\r\nConnection: close\r\n\r\n";
  if (Status sent = send_all(*fd, request, clock, deadline); !sent) {
    return sent.error().in(server.to_string());
  }
  auto bytes = receive_all(*fd, clock, deadline);
  if (!bytes) return bytes.error().in(server.to_string());
  auto reply = parse_http_reply(*bytes);
  if (!reply) return reply.error().in(server.to_string());
  return reply;
}

}  // namespace

Result<HttpReply> http_get(const SocketSpec& server, const std::string& target, const Clock& clock,
                           TimePoint deadline) {
  return ask("GET", server, target, clock, deadline);
}

Result<HttpReply> http_post(const SocketSpec& server, const std::string& target, const Clock& clock,
                            TimePoint deadline) {
  return ask("POST", server, target, clock, deadline);
}

}  // namespace shingled::milter::status
