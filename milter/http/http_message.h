#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>

#include "config/base/result.h"

namespace shingled::milter::http {

enum class HttpMethod : std::uint8_t { kGet, kPost };

/// A parsed and unescaped request.
struct HttpRequest {
  std::string path = {};                              ///< "/metrics"
  std::map<std::string, std::string> arguments = {};  ///< the first one if names are equal
  HttpMethod method = HttpMethod::kGet;               ///< HEAD counts as GET
  /// The request comes from a program on this machine that is meant for this server: over a unix
  /// socket or from a loopback address, with a loopback address or localhost as the host, with the
  /// header kDirectHeader, and not through a proxy. Neither a web page in a browser on this machine
  /// nor a stranger through a proxy can send such a request.
  bool direct = false;
  /// The server has keys, and the request came with one of them or over a unix socket.
  bool authorised = false;
  std::string body = {};  ///< of a POST
  bool head = false;      ///< HEAD: only the header of the reply is sent
};

inline constexpr const char* kDirectHeader = "X-Shingled";
inline constexpr const char* kKeyHeader = "X-Shingled-Key";

/// Makes the next bytes of a reply; "" at its end. After an error the connection is cut, so that
/// the client knows that the reply is not complete.
/// Threads: one at a time. Should not wait: other requests wait meanwhile.
using HttpProducer = std::function<Result<std::string>()>;

struct HttpReply {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  /// Of a reply that is too long for the memory: what follows `body`.
  HttpProducer more = {};
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
