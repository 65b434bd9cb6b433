#pragma once

#include <sys/socket.h>

#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"

namespace shingled {

/// An option of setsockopt(2) that is a number.
struct SocketOption {
  int level = 0;
  int name = 0;
  int value = 1;
  bool is_needed = true;  ///< false: it is no error if the system refuses it
};

/// How a socket takes its address.
struct BindOptions {
  int type = SOCK_STREAM;            ///< or SOCK_DGRAM
  int backlog = 0;                   ///< of listen(2), at once; 0: does not listen
  bool takes_ipv4 = false;           ///< whether an IPv6 socket takes IPv4, too
  std::vector<SocketOption> more{};  ///< set before the bind
  // What an error says was being done.
  std::string_view making = "socket";
  std::string_view binding = "bind";
};

/// A socket that has an address of its own.
struct BoundSocket {
  UniqueFd fd;
  SocketAddress address;  ///< with the port that the kernel chose
};

/// Makes a socket and binds it. It never waits (O_NONBLOCK) and is closed by exec. A stream socket
/// takes its port even if connections of an earlier daemon have not ended yet (SO_REUSEADDR).
/// Errors: those of os_error, "DOING: REASON" without the address.
/// Threads: any thread.
Result<BoundSocket> bind_socket(const SocketAddress& address, const BindOptions& options);

/// The address that a socket has; one without a family if it is not a socket.
SocketAddress address_of_socket(int fd);

}  // namespace shingled
