#include "config/system/listen_socket.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "config/system/connect_socket.h"
#include "config/system/os_error.h"
#include "config/system/unix_address.h"

namespace shingled {

namespace {

std::string place_of(const SocketSpec& spec, std::string_view option) {
  return std::string(option) + " " + spec.to_string();
}

/// Removes a socket that nobody answers on. Errors are without the place.
Status remove_stale(const std::string& path) {
  const auto address = unix_address(path);
  if (!address) return address.error();
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? Status() : Status(os_error(errno, "looking for it"));
  }
  if (!S_ISSOCK(info.st_mode)) return Error{ErrorCode::kInvalid, "exists and is not a socket"};
  const int failure = begin_connect(*address).failure;
  if (failure == 0 || failure == EAGAIN) {  // EAGAIN: its queue of connections is full
    return Error{ErrorCode::kUnavailable, "in use by a running process"};
  }
  if (failure != ECONNREFUSED) return os_error(failure, "asking who uses it");
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return os_error(errno, "removing the stale socket");
  }
  return {};
}

Result<StreamListener> listen_at(const SocketAddress& address, int backlog, bool takes_ipv4) {
  return StreamListener::bind(address, {.backlog = backlog,
                                        .takes_ipv4 = takes_ipv4,
                                        .making = "making a socket",
                                        .binding = "binding"});
}

Status prepare(const SocketSpec& spec) {
  const bool is_unix = spec.kind == SocketSpec::Kind::kUnix;
  if (is_unix) {
    if (Status status = remove_stale(spec.path); !status) return status;
  }
  const auto addresses = addresses_of(spec);
  if (!addresses) return addresses.error();
  if (addresses->empty()) return Error{ErrorCode::kNotFound, "no such address"};
  // As libmilter will: an IPv6 socket that takes IPv4, too.
  const auto listener = listen_at(addresses->front(), 1, true);
  if (!listener) return listener.error();
  if (is_unix) ::unlink(spec.path.c_str());
  return {};
}

}  // namespace

OwnerOnly::OwnerOnly() : before_(::umask(0177)) {}
OwnerOnly::~OwnerOnly() { ::umask(before_); }

Status prepare_listening_socket(const SocketSpec& spec, std::string_view option) {
  const Status status = prepare(spec);
  return status ? status : Status(status.error().in(place_of(spec, option)));
}

Status set_socket_access(const SocketSpec& spec, const UnixAccess& access,
                         std::string_view option) {
  if (spec.kind != SocketSpec::Kind::kUnix) return {};
  const std::string place = place_of(spec, option);
  if (!access.group.empty()) {
    std::vector<char> buffer(16'384);
    group entry{};
    group* found = nullptr;
    ::getgrnam_r(access.group.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found == nullptr) {
      return Error{ErrorCode::kNotFound,
                   std::string(option) + "_group " + access.group + ": no such group"};
    }
    if (::chown(spec.path.c_str(), static_cast<uid_t>(-1), found->gr_gid) != 0) {
      const int number = errno;
      return os_error(number,
                      "giving it to group " + access.group + ", which the daemon's user must be in")
          .in(place);
    }
  }
  if (::chmod(spec.path.c_str(), access.mode) != 0) {
    return os_error(errno, "setting its mode").in(place);
  }
  return {};
}

Result<std::vector<StreamListener>> listen_on(const SocketSpec& spec, int backlog,
                                              const UnixAccess& access, std::string_view option) {
  if (Status status = prepare_listening_socket(spec, option); !status) return status.error();
  const auto addresses = addresses_of(spec);
  if (!addresses) return addresses.error().in(place_of(spec, option));
  std::vector<StreamListener> listeners;
  for (const SocketAddress& address : *addresses) {
    const OwnerOnly until_it_has_its_mode;
    auto listener = listen_at(address, backlog, false);
    if (!listener) return listener.error().in(place_of(spec, option));
    listeners.push_back(*std::move(listener));
  }
  if (Status status = set_socket_access(spec, access, option); !status) return status.error();
  return listeners;
}

}  // namespace shingled
