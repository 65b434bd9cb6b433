#pragma once

#include <span>
#include <string_view>

#include "milter/http/http_message.h"

namespace shingled::milter::api {

/// A request for a route, and what it answers: for readers of the document, and for programs that
/// try a route. Digests, ids and addresses are made up.
struct RouteExample {
  http::HttpMethod method = http::HttpMethod::kGet;
  std::string_view path;  ///< of the route
  /// Of "{…}" in the path, and arguments of the query: "id=4XyzQ1&kind=spam"; what is not letters,
  /// digits or one of "-._~<>" is escaped.
  std::string_view request = {};
  std::string_view body = {};  ///< of the request
  std::string_view reply = {};
};

/// All examples, one for each route. A route that is new gets one here.
/// Threads: constant.
std::span<const RouteExample> route_examples();
/// nullptr: it has none.
const RouteExample* find_example(http::HttpMethod method, std::string_view path);

}  // namespace shingled::milter::api
