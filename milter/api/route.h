#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "milter/http/accounts/rights.h"
#include "milter/http/http_message.h"
#include "milter/view/json.h"

namespace shingled::milter::api {

/// An argument of a request: in its query, or the part of its path that stands for "{name}".
struct Parameter {
  enum class Kind : std::uint8_t {
    kText,
    kInteger,  ///< from `least` to `most`
    kNumber,   ///< a decimal number from `least` to `most`
    kFlag,     ///< "yes" or "no"
    kWord,     ///< one of `words`
  };
  std::string_view name;
  std::string_view help;
  Kind kind = Kind::kText;
  bool needed = false;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::vector<std::string_view> words = {};
};

/// A request for a route. Its arguments are known, in range and complete: the router has looked.
/// Threads: one thread.
struct Call {
  const http::HttpRequest& request;
  std::string part = {};      ///< of the path, for "{name}"
  std::stop_token stop = {};  ///< the server ends

  /// "" without the argument.
  [[nodiscard]] std::string text(const char* name) const;
  [[nodiscard]] bool has(const char* name) const { return request.arguments.contains(name); }
  [[nodiscard]] std::int64_t integer(const char* name, std::int64_t otherwise) const;
  [[nodiscard]] double number(const char* name) const;
  [[nodiscard]] bool flag(const char* name) const { return text(name) == "yes"; }
};

/// One thing that can be asked for.
struct Route {
  /// How long the answer takes.
  enum class Pace : std::uint8_t {
    kAtOnce,  ///< waits for nothing slow: on the thread of the connection
    kLater,   ///< reads much, or waits for a disk: on a thread for work
    kSlow,    ///< may wait for others for many seconds: one at a time (HttpReply::slow)
  };
  http::HttpMethod method = http::HttpMethod::kGet;
  std::string_view path;  ///< "/api/1/cases/{id}": {…} is the rest of the path
  http::Right right = http::Right::kChange;
  Pace pace = Pace::kAtOnce;
  std::string_view summary;  ///< for the document: what it does, one sentence
  std::vector<Parameter> parameters = {};
  std::string_view body = {};     ///< media type of the request's body; "" = none
  std::string_view members = {};  ///< of the object that it answers: "buckets more"
  std::function<http::HttpReply(const Call&)> answer;
  std::string_view media = "text/plain";  ///< type of a reply that is no JSON
};

/// All that can be asked for, in one table: finds the route of a request, checks who asks and with
/// which arguments, and describes itself. Paths of earlier versions (/report, /counters/ask) lead
/// to those of today.
///
/// Errors:  problem objects (reply.h): 404 no such path, 405 with the field Allow, 401 and 403 with
///          the role that is needed, 400 an argument that is unknown, missing or out of range, 413
///          a body that is too long.
/// Threads: any thread after construction.
class Router {
 public:
  /// `body_bytes_max`: of a body that is no mail; the server knows how long mail may be.
  explicit Router(std::vector<Route> routes, std::uint64_t body_bytes_max = UINT64_MAX);

  [[nodiscard]] http::HttpReply answer(const http::HttpRequest& request) const;
  /// The OpenAPI 3.1 document of the routes below /api/1.
  [[nodiscard]] Json document() const;
  /// The same as a reply.
  [[nodiscard]] http::HttpReply document_reply() const;
  [[nodiscard]] const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
  std::uint64_t body_bytes_max_;
};

}  // namespace shingled::milter::api
