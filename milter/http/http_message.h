#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/result.h"
#include "milter/http/accounts/rights.h"
#include "milter/http/event_stream.h"

namespace shingled::milter::http {

enum class HttpMethod : std::uint8_t { kGet, kPost, kDelete };

std::string_view to_string(HttpMethod method);  ///< "GET" "POST" "DELETE"

/// Who sends a request, and what that permits.
struct Caller {
  Role role = Role::kOff;
  std::string name = {};     ///< of the key or the person; "" for this machine and for nobody
  std::string network = {};  ///< of the client, for limits: "192.0.2.0/24"; "" for a unix socket
  std::string session = {};  ///< the secret of the session; "" without one
  std::string csrf = {};     ///< what a browser must send with a change; "" if none is needed
  /// Why the role is `kOff`, or why nothing may be changed, for the reply.
  std::string why = {};
  bool changes = true;  ///< false: a browser asks, without the token that a change needs
};

/// A parsed and unescaped request.
struct HttpRequest {
  std::string path = {};                              ///< "/metrics"
  std::map<std::string, std::string> arguments = {};  ///< each once
  HttpMethod method = HttpMethod::kGet;               ///< HEAD counts as GET
  Caller caller = {};
  std::string body = {};  ///< of a POST
  std::string type = {};  ///< Content-Type of the body
  std::string accept = {};
  std::string if_none_match = {};
  bool head = false;  ///< HEAD: only the header of the reply is sent

  /// Whether it may do something of that kind.
  [[nodiscard]] bool may(Right right) const {
    const bool reads = right == Right::kNothing || right == Right::kMetrics ||
                       right == Right::kRead || right == Right::kAsk;
    return http::may(caller.role, right) && (reads || caller.changes);
  }
};

/// A program on this machine sends it with any value: a page in a browser cannot without being
/// asked first.
inline constexpr const char* kDirectHeader = "X-Shingled";
inline constexpr const char* kKeyHeader = "X-Shingled-Key";
/// A page sends it with the token of its session.
inline constexpr const char* kCsrfHeader = "X-Shingled-Token";
inline constexpr const char* kSessionCookie = "shingled";

/// Makes the next bytes of a reply; "" at its end. After an error the connection is cut, so that
/// the client knows that the reply is not complete.
/// Threads: one at a time. Should not wait: other requests wait meanwhile.
using HttpProducer = std::function<Result<std::string>()>;

struct HttpReply {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  /// Further fields of the header: Set-Cookie, Allow, ETag.
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// Of a reply that is too long for the memory: what follows `body`.
  HttpProducer more = {};
  /// What is sent as it happens, after `body`, until the stream ends.
  std::shared_ptr<EventStream> events = nullptr;
  /// Work that takes long. The reply is what it returns, nothing else of this one counts. It runs
  /// on a thread for such work; the token says that the server ends.
  std::function<HttpReply(const std::stop_token&)> later = {};
  /// `later` may wait for others for many seconds: one of this kind runs at a time, on a thread of
  /// its own, so that other work does not wait for it.
  bool slow = false;
};

/// Answers one request, which lives until `later` of the reply has returned.
/// Threads: called on several threads; should not wait.
using HttpHandler = std::function<HttpReply(const HttpRequest&)>;

}  // namespace shingled::milter::http
