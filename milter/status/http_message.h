#pragma once

#include <functional>
#include <map>
#include <string>

namespace shingled::milter {

/// A GET or HEAD request, taken apart and unescaped.
struct HttpRequest {
  std::string path;                              ///< "/metrics"
  std::map<std::string, std::string> arguments;  ///< of equal names the first one
};

struct HttpReply {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

/// Answers one request. May be called on several threads; should not wait.
using HttpHandler = std::function<HttpReply(const HttpRequest&)>;

}  // namespace shingled::milter
