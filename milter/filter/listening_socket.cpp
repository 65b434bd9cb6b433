#include "milter/filter/listening_socket.h"

#include <grp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "config/base/number_text.h"
#include "config/system/unique_fd.h"

namespace shingled::milter::filter {

namespace {

/// The socket and the option that names it, for errors.
struct Place {
  const SocketSpec& spec;
  std::string_view option;

  [[nodiscard]] std::string text() const { return std::string(option) + " " + spec.to_string(); }
};

Error system_error(int number, std::string_view doing, const Place& place) {
  const bool denied = number == EACCES || number == EPERM;
  const bool missing = number == ENOENT || number == ENOTDIR;
  const ErrorCode code = denied    ? ErrorCode::kDenied
                         : missing ? ErrorCode::kNotFound
                                   : ErrorCode::kUnavailable;
  return {code, place.text() + ": " + std::string(doing) + ": " +
                    std::generic_category().message(number)};
}

std::optional<sockaddr_un> unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

int connect_unix(const UniqueFd& fd, const sockaddr_un& address) {
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(fd.get(), generic, sizeof address) == 0 ? 0 : errno;
}

Status remove_stale(const Place& place) {
  const SocketSpec& spec = place.spec;
  const auto address = unix_address(spec.path);
  if (!address) {
    return Error{ErrorCode::kInvalid, place.text() + ": the path is too long for a socket"};
  }
  struct stat info {};
  if (::lstat(spec.path.c_str(), &info) != 0) {
    return errno == ENOENT ? Status() : Status(system_error(errno, "looking for it", place));
  }
  if (!S_ISSOCK(info.st_mode)) {
    return Error{ErrorCode::kInvalid, place.text() + ": exists and is not a socket"};
  }
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int failure = connect_unix(fd, *address);
  if (failure == 0) {
    return Error{ErrorCode::kUnavailable, place.text() + ": in use by a running process"};
  }
  if (failure != ECONNREFUSED) return system_error(failure, "asking who uses it", place);
  if (::unlink(spec.path.c_str()) != 0 && errno != ENOENT) {
    return system_error(errno, "removing the stale socket", place);
  }
  return {};
}

/// Binds and lets go, as libmilter will: with SO_REUSEADDR.
Status try_bind(const Place& place, const sockaddr* address, socklen_t length) {
  const UniqueFd fd(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return system_error(errno, "making a socket", place);
  const int one = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (::bind(fd.get(), address, length) != 0 || ::listen(fd.get(), 1) != 0) {
    return system_error(errno, "binding", place);
  }
  return {};
}

}  // namespace

Status prepare_listening_socket(const SocketSpec& spec, std::string_view option) {
  const Place place{spec, option};
  if (spec.kind == SocketSpec::Kind::kUnix) {
    if (Status status = remove_stale(place); !status) return status;
    const auto address = unix_address(spec.path);
    Status status = try_bind(place, reinterpret_cast<const sockaddr*>(&*address), sizeof *address);
    if (status) ::unlink(spec.path.c_str());
    return status;
  }
  const auto addresses = SocketAddress::resolve(spec);
  if (!addresses) return addresses.error().in(place.text());
  if (addresses->empty()) {
    return Error{ErrorCode::kNotFound, place.text() + ": no such address"};
  }
  return try_bind(place, addresses->front().get(), addresses->front().length());
}

Status set_socket_access(const MilterOptions& options) {
  const SocketSpec& spec = options.socket;
  if (spec.kind != SocketSpec::Kind::kUnix) return {};
  if (!options.socket_group.empty()) {
    std::vector<char> buffer(16'384);
    group entry{};
    group* found = nullptr;
    ::getgrnam_r(options.socket_group.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found == nullptr) {
      return Error{ErrorCode::kNotFound,
                   "milter.socket_group " + options.socket_group + ": no such group"};
    }
    if (::chown(spec.path.c_str(), static_cast<uid_t>(-1), found->gr_gid) != 0) {
      return system_error(
          errno,
          "giving it to group " + options.socket_group + ", which the daemon's user must be in",
          Place{spec, "milter.socket"});
    }
  }
  if (::chmod(spec.path.c_str(), options.socket_mode & 0777U) != 0) {
    return system_error(errno, "setting its mode", Place{spec, "milter.socket"});
  }
  return {};
}

void send_without_delay() {
  std::error_code ignored;  // libmilter keeps its descriptor to itself: look at all of ours
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const std::string name = entry.path().filename();
    const int fd = parse_whole<int>(name).value_or(-1);
    int listening = 0;
    socklen_t length = sizeof listening;
    if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) != 0) continue;
    const int one = 1;
    if (listening != 0) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  }
}

}  // namespace shingled::milter::filter
