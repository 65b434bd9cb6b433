#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "milter/api/route.h"
#include "milter/http/access.h"

namespace shingled::milter::api {

/// Who asks, and people who sign in.
///
///   GET    /api/1/session   {"name", "role", "token": what a browser must send with a change}
///   POST   /api/1/session   the body is {"name", "password"} -> the same, and a cookie: HttpOnly,
///                           SameSite=Strict, with TLS Secure. 403: wrong; 429: too many tries
///   DELETE /api/1/session   ends it
///
/// Threads: any thread. A password takes 0.1 s.
class SessionResource {
 public:
  /// `access`: null while the service begins.
  SessionResource(std::function<http::Access*()> access, bool secure)
      : access_(std::move(access)), secure_(secure) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  [[nodiscard]] http::HttpReply sign_in(const Call& call) const;

  std::function<http::Access*()> access_;
  bool secure_;
};

}  // namespace shingled::milter::api
