#pragma once

#include <sys/socket.h>

#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"

namespace shingled {

/// Where a client on this machine reaches who listens at `listens`: loopback in place of any
/// address.
/// Threads: stateless.
SocketSpec spec_to_connect(const SocketSpec& listens);

/// How a socket connects. The two flags are for TCP; a unix socket ignores them.
struct ConnectOptions {
  int type = SOCK_STREAM;   ///< or SOCK_DGRAM
  bool no_delay = false;    ///< TCP_NODELAY: a small request does not wait for more to send
  bool keep_alive = false;  ///< SO_KEEPALIVE: finds out that a peer is gone
};

/// A connection that has been begun.
struct Connecting {
  UniqueFd fd;      ///< non-blocking; invalid if the system had no socket for us
  int failure = 0;  ///< errno

  [[nodiscard]] bool is_connected() const { return failure == 0; }
  [[nodiscard]] bool has_failed() const;
};

/// Begins to connect and does not wait. A connection that is neither there nor has failed is under
/// way: poll it for POLLOUT, then ask `connect_failure`.
/// Threads: any thread.
Connecting begin_connect(const SocketAddress& address, const ConnectOptions& options = {});

/// What became of a connection that was under way: 0 if it is there, else the errno.
int connect_failure(int fd);

/// Waits until poll(2) has one of `events` for the descriptor. Looks once after the deadline, too.
/// Errors: kTimeout ("no answer in time"), kUnavailable.
Status wait_for(int fd, short events, TimePoint deadline, const Clock& clock);

/// Connects to the first address that takes it, and waits for that.
/// Errors: of the last address: kTimeout, or kUnavailable with the system's reason alone.
/// Threads: any thread; waits.
Result<UniqueFd> connect_within(const std::vector<SocketAddress>& addresses,
                                const ConnectOptions& options, TimePoint deadline,
                                const Clock& clock);

}  // namespace shingled
