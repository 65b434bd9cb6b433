#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace shingled::milter::status {

enum class HttpMethod : std::uint8_t { kGet, kPost };

/// A parsed and unescaped request.
struct HttpRequest {
  std::string path = {};                              ///< "/metrics"
  std::map<std::string, std::string> arguments = {};  ///< the first one if names are equal
  HttpMethod method = HttpMethod::kGet;               ///< HEAD counts as GET
  /// The request comes from a program on this machine that is meant for this server: over a unix
  /// socket or from a loopback address, with a loopback address or localhost as the host, with the
  /// header kDirectHeader, and not through a proxy. Neither a web page in a browser on this machine
  /// nor a stranger behind a proxy can send such a request.
  bool direct = false;
};

inline constexpr const char* kDirectHeader = "X-Shingled";

struct HttpReply {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

/// Answers one request.
/// Threads: called on several threads; should not wait.
using HttpHandler = std::function<HttpReply(const HttpRequest&)>;

}  // namespace shingled::milter::status
