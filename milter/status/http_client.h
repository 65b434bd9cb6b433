#pragma once

#include <string>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "milter/status/http_message.h"

namespace shingled::milter::status {

/// Asks an HTTP service for one page, without a body, over a TCP or unix socket; the connection
/// ends with it. For our own service: no redirections, no chunks, no TLS.
///
/// Errors: kUnavailable (nobody there), kTimeout (not all of it before `deadline`), kLimit (more
/// than kReplyBytesMax), kInvalid (no HTTP, or cut off). Any status code is a reply.
/// Threads: stateless; waits.
Result<HttpReply> http_get(const SocketSpec& server, const std::string& target, const Clock& clock,
                           TimePoint deadline);
/// The same as a POST.
Result<HttpReply> http_post(const SocketSpec& server, const std::string& target, const Clock& clock,
                            TimePoint deadline);

inline constexpr std::size_t kReplyBytesMax = 16UL * 1024 * 1024;

/// The head and body of a whole reply.
/// Errors: kInvalid.
Result<HttpReply> parse_http_reply(std::string_view bytes);

}  // namespace shingled::milter::status
