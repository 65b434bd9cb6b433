#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "milter/http/access.h"
#include "milter/http/http_message.h"
#include "milter/http/http_server_options.h"

namespace shingled::milter::http {

/// A small HTTP/1.1 service; with streamed_response.h the only user of libmicrohttpd. It supports
/// GET, HEAD, POST and DELETE, and keeps connections. Who may do what is decided by Access; a
/// handler looks at HttpRequest::may().
///
/// Bounds: `connections_max` for each listening address, an eighth of them for one client;
/// kRequestBytesMax for a request without its body; `body_bytes_max` for a body, `bodies_max` times
/// as much for all bodies in memory; `timeout` from the connection, or from the end of the reply
/// before, to the end of the reply, also if a client sends or reads slowly. In a reply with a
/// producer it is the time for each piece of it; the time of work on a thread for work does not
/// count, nor that in which a stream of events waits for one. A request that exceeds a bound gets
/// 4xx, 503 or a closed connection, and does not reach the handler. If the handler throws, the
/// reply is 500.
/// Does not: speak HTTP/2, serve files, or encrypt what goes over a unix socket.
/// Threads: `threads` for each listening address, one for the deadlines, kWorkThreads, one for slow
/// work; all nicer (nice(2)), so that mail does not wait for a request. A thread that the handler
/// starts is, too. The destructor joins them; the handler is not called afterwards.
class HttpServer {
 public:
  /// Than the thread that starts it.
  static constexpr int kNicer = 15;
  /// Start line and headers, with the data of the library about them.
  static constexpr std::size_t kRequestBytesMax = 16UL * 1024;
  static constexpr std::size_t kWorkThreads = 2;  ///< for HttpReply::later that is not slow

  /// Errors: kDenied, kUnavailable (in use), kNotFound (no such host or directory), kInvalid; each
  /// names the address. Those of Access and TlsIdentity.
  static Result<std::unique_ptr<HttpServer>> start(const HttpServerOptions& options,
                                                   HttpHandler handler, Clock& clock,
                                                   Random& random);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  HttpServer(HttpServer&&) = delete;
  HttpServer& operator=(HttpServer&&) = delete;

  /// The listening addresses; if the port was 0, with the port that the kernel has chosen.
  [[nodiscard]] const std::vector<std::string>& addresses() const;

  /// Of libmicrohttpd.
  static std::string library_version();

  /// Signs people in, and reads the files of keys and people again.
  [[nodiscard]] Access& access();

  class Impl;

 private:
  explicit HttpServer(std::unique_ptr<Impl> impl);
  static Result<std::unique_ptr<HttpServer>> start_here(const HttpServerOptions& options,
                                                        HttpHandler handler, Clock& clock,
                                                        Random& random);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::milter::http
