#include "config/system/bound_socket.h"

#include <netinet/in.h>

#include <cerrno>

#include "config/system/os_error.h"

namespace shingled {

namespace {

Status set(int fd, const SocketOption& option) {
  const int result =
      ::setsockopt(fd, option.level, option.name, &option.value, sizeof option.value);
  if (result == 0 || !option.is_needed) return {};
  return os_error(errno, "setsockopt");
}

}  // namespace

Result<BoundSocket> bind_socket(const SocketAddress& address, const BindOptions& options) {
  UniqueFd fd(::socket(address.family(), options.type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return os_error(errno, options.making);
  std::vector<SocketOption> all;
  if (options.type == SOCK_STREAM) all.push_back({SOL_SOCKET, SO_REUSEADDR});
  if (address.family() == AF_INET6 && !options.takes_ipv4) {
    all.push_back({IPPROTO_IPV6, IPV6_V6ONLY});
  }
  all.insert(all.end(), options.more.begin(), options.more.end());
  for (const SocketOption& option : all) {
    if (Status status = set(fd.get(), option); !status) return status.error();
  }
  if (::bind(fd.get(), address.get(), address.length()) != 0 ||
      (options.backlog != 0 && ::listen(fd.get(), options.backlog) != 0)) {
    return os_error(errno, options.binding);
  }
  const SocketAddress bound = address_of_socket(fd.get());
  if (bound.length() == 0) return os_error(errno, "getsockname");
  return BoundSocket{std::move(fd), bound};
}

SocketAddress address_of_socket(int fd) {
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &length) != 0) return {};
  return {reinterpret_cast<const sockaddr*>(&bound), length};
}

}  // namespace shingled
