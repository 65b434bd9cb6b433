#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace shingled::milter::status {

enum class HttpMethod : std::uint8_t { kGet, kPost };

/// A request, taken apart and unescaped.
struct HttpRequest {
  std::string path = {};                              ///< "/metrics"
  std::map<std::string, std::string> arguments = {};  ///< of equal names the first one
  HttpMethod method = HttpMethod::kGet;               ///< HEAD counts as GET
  /// It comes from a program on this machine that means us: over a unix socket or from a loopback
  /// address, to a host that names this machine, with the header kDirectHeader, and through no
  /// proxy. Neither a web page in a browser here nor a stranger behind a proxy can make one.
  bool direct = false;
};

inline constexpr const char* kDirectHeader = "X-Shingled";

struct HttpReply {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

/// Answers one request. May be called on several threads; should not wait.
using HttpHandler = std::function<HttpReply(const HttpRequest&)>;

}  // namespace shingled::milter::status
