#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/status_options.h"
#include "milter/status/http_message.h"

namespace shingled::milter::status {

/// A small HTTP/1.1 service through libmicrohttpd: the one file that knows it. GET, HEAD and POST,
/// no bodies; every connection ends with its reply.
///
/// Bounds: `connections_max` for each address listened on, half of them of one client;
/// kRequestBytesMax for a request; `timeout` from the connection to the end of the reply, however
/// slowly a client sends or reads. What breaks them gets 4xx or a closed connection and never
/// reaches the handler. A handler that throws gives 500.
/// Threads: one inside for each address listened on and one for the deadlines; the destructor joins
/// them, after which the handler is not called any more.
class HttpServer {
 public:
  /// Start line and headers, with what the library keeps about them.
  static constexpr std::size_t kRequestBytesMax = 16UL * 1024;

  /// Errors: kDenied or kUnavailable (in use), kNotFound (no such host or directory), kInvalid;
  /// naming the address.
  static Result<std::unique_ptr<HttpServer>> start(const StatusOptions& options,
                                                   HttpHandler handler, Clock& clock);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  HttpServer(HttpServer&&) = delete;
  HttpServer& operator=(HttpServer&&) = delete;

  /// Where it listens, with the port the kernel chose where 0 was asked for.
  [[nodiscard]] const std::vector<std::string>& addresses() const;

  class Impl;

 private:
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::milter::status
