#include "milter/status/http_listener.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "milter/filter/listening_socket.h"

namespace shingled::milter::status {

namespace {

constexpr int kListenBacklog = 64;
constexpr mode_t kUnixMode = 0660;

Error bind_error(const std::string& place) {
  const ErrorCode code = errno == EACCES || errno == EPERM ? ErrorCode::kDenied
                         : errno == ENOENT                 ? ErrorCode::kNotFound
                                                           : ErrorCode::kUnavailable;
  return {code, place + ": binding: " + std::generic_category().message(errno)};
}

Result<UniqueFd> bind_stream(const sockaddr* address, socklen_t length, const std::string& place) {
  UniqueFd fd(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return bind_error(place);
  const int one = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (address->sa_family == AF_INET6) {
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
  }
  if (::bind(fd.get(), address, length) != 0 || ::listen(fd.get(), kListenBacklog) != 0) {
    return bind_error(place);
  }
  return fd;
}

Result<HttpListener> listen_on_path(const SocketSpec& spec, const std::string& place) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, spec.path.data(),
              std::min(spec.path.size(), sizeof address.sun_path - 1));
  const mode_t before = ::umask(0177);  // nobody connects before the mode is set
  auto fd = bind_stream(reinterpret_cast<const sockaddr*>(&address), sizeof address, place);
  ::umask(before);
  if (!fd) return fd.error();
  if (::chmod(spec.path.c_str(), kUnixMode) != 0) return bind_error(place);
  return HttpListener{*std::move(fd), spec.to_string(), spec.path};
}

}  // namespace

Result<std::vector<HttpListener>> listen_on(const SocketSpec& spec, std::string_view option) {
  const std::string place = std::string(option) + " " + spec.to_string();
  if (Status status = filter::prepare_listening_socket(spec, option); !status)
    return status.error();
  std::vector<HttpListener> listeners;
  if (spec.kind == SocketSpec::Kind::kUnix) {
    auto listener = listen_on_path(spec, place);
    if (!listener) return listener.error();
    listeners.push_back(*std::move(listener));
    return listeners;
  }
  const auto addresses = SocketAddress::resolve(spec);
  if (!addresses) return addresses.error().in(place);
  for (const SocketAddress& address : *addresses) {
    auto fd = bind_stream(address.get(), address.length(), place);
    if (!fd) return fd.error();
    sockaddr_storage bound{};
    socklen_t length = sizeof bound;
    ::getsockname(fd->get(), reinterpret_cast<sockaddr*>(&bound), &length);
    const SocketAddress real(reinterpret_cast<const sockaddr*>(&bound), length);
    listeners.push_back({*std::move(fd), real.to_string(), ""});
  }
  return listeners;
}

}  // namespace shingled::milter::status
