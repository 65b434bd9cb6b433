#pragma once

#include <optional>
#include <string>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "milter/http/endpoint.h"
#include "milter/http/http_message.h"
#include "milter/http/http_reply_reader.h"

namespace shingled::milter::http {

/// A request with a body, as a program sends it.
struct HttpCall {
  HttpMethod method = HttpMethod::kGet;
  std::string target;  ///< "/api/1/counters/ask"
  std::string body = {};
  std::string type = "application/json";  ///< of the body
  /// Of the whole call, whatever the server sends until then; nullopt = none.
  std::optional<TimePoint> deadline = {};
};

/// Sends a request over a TCP or unix socket, with TLS where the endpoint says so, and reads the
/// reply while it comes in: a body with status 200 goes to `take` piece by piece, in any length;
/// another one is in the result. A reply with any status is a result, not an error. Redirections
/// are not followed.
///
/// `patience`: for connecting, for sending, and for each wait for more of the reply. A name is
/// looked up as long as the resolver takes.
/// Errors:  kUnavailable (no connection: the server does not know of the request), kTimeout,
///          kDenied (a certificate), kCorrupt (not HTTP, or cut off: the server may have done it),
///          kLimit, those of `take`. Of a reply that was cut off `take` has had a part.
/// Threads: stateless; waits.
Result<HttpReply> http_call(const Endpoint& server, const HttpCall& call, const Clock& clock,
                            Duration patience, const HttpTaker& take);

}  // namespace shingled::milter::http
