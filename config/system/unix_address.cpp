#include "config/system/unix_address.h"

#include <sys/un.h>

#include <cstring>

namespace shingled {

Result<SocketAddress> unix_address(const std::string& path) {
  sockaddr_un address{};
  if (path.empty()) return Error{ErrorCode::kInvalid, "a socket needs a path"};
  if (path.size() >= sizeof address.sun_path) {
    return Error{ErrorCode::kInvalid, "the path is too long for a socket"};
  }
  address.sun_family = AF_UNIX;
  std::memcpy(static_cast<char*>(address.sun_path), path.data(), path.size());
  return SocketAddress(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

Result<std::vector<SocketAddress>> addresses_of(const SocketSpec& spec) {
  if (spec.kind != SocketSpec::Kind::kUnix) return SocketAddress::resolve(spec);
  const auto address = unix_address(spec.path);
  if (!address) return address.error();
  return std::vector{*address};
}

}  // namespace shingled
