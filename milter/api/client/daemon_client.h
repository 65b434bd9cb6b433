#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "milter/http/endpoint.h"
#include "milter/http/http_call.h"
#include "milter/view/json.h"

namespace shingled::milter::api {

/// Asks the daemon, of this machine or of another one, over its API. The only client of it.
///
/// Errors:  those of replies (reply.h: one table), kUnavailable and kTimeout (no daemon), kDenied
///          (the daemon, or its certificate), kCorrupt (an answer that is not HTTP, is cut off or
///          is no JSON: the daemon may have done what was asked). They name the daemon where it did
///          not answer.
/// Threads: one thread; waits.
/// Cost:    one connection for each call.
class DaemonClient {
 public:
  static constexpr std::chrono::seconds kPatience{5};

  /// `server`: an error is what every call returns: that there is nobody to ask.
  DaemonClient(Result<http::Endpoint> server, const Clock& clock)
      : server_(std::move(server)), clock_(clock) {}

  /// An object. `patience`: for each wait for the daemon.
  [[nodiscard]] Result<Json> get(std::string target, Duration patience = kPatience) const;
  [[nodiscard]] Result<Json> remove(std::string target, Duration patience = kPatience) const;
  [[nodiscard]] Result<Json> post(std::string target, std::string body = {},
                                  std::string_view type = "application/json",
                                  Duration patience = kPatience) const;
  /// The reply, whatever its status; a body with status 200 goes to `take` in pieces of any length.
  /// Errors: that there is none, and those of `take`.
  [[nodiscard]] Result<http::HttpReply> ask(const http::HttpCall& call, Duration patience,
                                            const http::HttpTaker& take) const;
  /// The same; another status is an error, too.
  [[nodiscard]] Status send(const http::HttpCall& call, Duration patience,
                            const http::HttpTaker& take) const;

 private:
  [[nodiscard]] Result<Json> call(const http::HttpCall& call, Duration patience) const;

  Result<http::Endpoint> server_;
  const Clock& clock_;
};

/// Reads the object of an answer.
/// Errors: kCorrupt.
Result<Json> object_of(std::string_view answer);

}  // namespace shingled::milter::api
