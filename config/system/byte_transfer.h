#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "config/base/byte_reader.h"
#include "config/base/clock.h"
#include "config/base/result.h"

namespace shingled {

// Bytes into and out of descriptors. A call that a signal interrupts is repeated. A socket whose
// other side is gone causes an error, not SIGPIPE.
//
// Errors: kUnavailable, with the system's reason alone.
// Threads: any thread.

/// Sends the beginning of `bytes`, as much as the socket takes without waiting. Returns the number
/// of bytes; 0 if the socket takes nothing now: poll it for POLLOUT.
Result<std::size_t> send_some(int fd, BytesView bytes);

/// Receives what is there, without waiting. Returns the number of bytes; 0 at the end of the
/// stream; nullopt if nothing is there yet: poll it for POLLIN.
Result<std::optional<std::size_t>> receive_some(int fd, std::span<std::uint8_t> into);

/// Sends all bytes through a socket, and waits for it where necessary.
/// Errors: also kTimeout, if the deadline comes first.
Status send_all(int fd, BytesView bytes, TimePoint deadline, const Clock& clock);

/// Writes all bytes to a file, a pipe or a device that blocks.
Status write_all(int fd, BytesView bytes);

}  // namespace shingled
