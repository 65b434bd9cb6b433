#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "milter/api/route.h"

namespace shingled::testing {

/// What the routes answer to a request; work that takes long is done, a stream not yet read.
inline milter::http::HttpReply begin(std::vector<milter::api::Route> routes,
                                     milter::http::HttpMethod method, const std::string& path,
                                     const std::string& body = "",
                                     std::map<std::string, std::string> arguments = {},
                                     milter::http::Role role = milter::http::Role::kChange) {
  milter::http::HttpRequest request;
  request.path = path;
  request.method = method;
  request.body = body;
  request.arguments = std::move(arguments);
  request.caller.role = role;
  const milter::api::Router router(std::move(routes));
  milter::http::HttpReply reply = router.answer(request);
  while (reply.later) reply = reply.later({});
  return reply;
}

/// The same, complete: with what a stream gives.
inline milter::http::HttpReply ask(std::vector<milter::api::Route> routes,
                                   milter::http::HttpMethod method, const std::string& path,
                                   const std::string& body = "",
                                   std::map<std::string, std::string> arguments = {},
                                   milter::http::Role role = milter::http::Role::kChange) {
  milter::http::HttpReply reply =
      begin(std::move(routes), method, path, body, std::move(arguments), role);
  while (reply.more) {
    const auto more = reply.more();
    if (!more || more->empty()) break;
    reply.body += *more;
  }
  return reply;
}

}  // namespace shingled::testing
