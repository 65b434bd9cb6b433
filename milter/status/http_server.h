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

/// A small HTTP/1.1 service; the only user of libmicrohttpd. It supports GET, HEAD and POST,
/// without bodies in requests. Every connection is closed after its reply.
///
/// Bounds: `connections_max` for each listening address, at most half of them for one client;
/// kRequestBytesMax for a request; `timeout` from the connection to the end of the reply, also if a
/// client sends or reads slowly. A request that exceeds a bound gets 4xx or a closed connection,
/// and does not reach the handler. If the handler throws, the reply is 500.
/// Threads: one for each listening address and one for the deadlines. The destructor joins them;
/// the handler is not called afterwards.
class HttpServer {
 public:
  /// Start line and headers, with the data of the library about them.
  static constexpr std::size_t kRequestBytesMax = 16UL * 1024;

  /// Errors: kDenied, kUnavailable (in use), kNotFound (no such host or directory), kInvalid; each
  /// names the address.
  static Result<std::unique_ptr<HttpServer>> start(const StatusOptions& options,
                                                   HttpHandler handler, Clock& clock);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  HttpServer(HttpServer&&) = delete;
  HttpServer& operator=(HttpServer&&) = delete;

  /// The listening addresses; if the port was 0, with the port that the kernel has chosen.
  [[nodiscard]] const std::vector<std::string>& addresses() const;

  class Impl;

 private:
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::milter::status
