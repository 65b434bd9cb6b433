#pragma once

#include <string>
#include <string_view>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "milter/http/http_message.h"

namespace shingled::milter::http {

/// Asks an HTTP service for one page with GET, over a TCP or unix socket, and closes the
/// connection. It is for our own service: it does not support redirections, chunks and TLS. A reply
/// with any status code is a result, not an error.
/// Errors: kUnavailable (no connection), kTimeout (not complete before `deadline`), kLimit (more
/// than kReplyBytesMax), kInvalid (not HTTP, or cut off).
/// Threads: stateless; waits.
Result<HttpReply> http_get(const SocketSpec& server, const std::string& target, const Clock& clock,
                           TimePoint deadline);
/// The same with POST.
Result<HttpReply> http_post(const SocketSpec& server, const std::string& target, const Clock& clock,
                            TimePoint deadline);

inline constexpr std::size_t kReplyBytesMax = 16UL * 1024 * 1024;

/// Parses a complete reply.
/// Errors: kInvalid (not HTTP, or cut off).
Result<HttpReply> parse_http_reply(std::string_view bytes);

}  // namespace shingled::milter::http
