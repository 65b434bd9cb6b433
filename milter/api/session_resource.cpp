#include "milter/api/session_resource.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "milter/api/reply.h"

namespace shingled::milter::api {

namespace {

constexpr unsigned kTooManyTries = 429;

Json session_json(std::string_view name, http::Role role, std::string_view token) {
  return {{"name", name}, {"role", http::to_string(role)}, {"token", token}};
}

std::string cookie_text(std::string_view value, bool secure) {
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(
      value.empty() ? std::chrono::hours(0) : http::Sessions::kSessionTime);
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", http::kSessionCookie,
                     value, age.count(), secure ? "; Secure" : "");
}

/// A member of an object that is a text.
std::string text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

http::HttpReply SessionResource::sign_in(const Call& call) const {
  // A form of another page cannot send this type without being asked first.
  if (!call.request.type.starts_with("application/json"))
    return problem({ErrorCode::kInvalid, "takes application/json"});
  const auto asked = Json::parse(call.request.body, nullptr, /*allow_exceptions=*/false);
  if (!asked.is_object()) return problem({ErrorCode::kInvalid, "takes {\"name\", \"password\"}"});
  http::Access* access = access_();
  if (access == nullptr) return problem({ErrorCode::kUnavailable, "the service begins"});
  const auto signed_in = access->sign_in(text_of(asked, "name"), text_of(asked, "password"),
                                         call.request.caller.network);
  if (!signed_in && signed_in.error().code == ErrorCode::kLimit) {
    http::HttpReply reply = problem(kTooManyTries, signed_in.error().message);
    reply.headers.emplace_back("Retry-After", "60");
    return reply;
  }
  if (!signed_in) return problem(signed_in.error());
  http::HttpReply reply =
      json_reply(session_json(signed_in->name, signed_in->role, signed_in->csrf));
  reply.headers.emplace_back("Set-Cookie", cookie_text(signed_in->session, secure_));
  return reply;
}

std::vector<Route> SessionResource::routes() const {
  using http::HttpMethod;
  using http::Right;
  return {
      {HttpMethod::kGet,
       "/api/1/session",
       Right::kNothing,
       Route::Pace::kAtOnce,
       "Who asks, and what that permits.",
       {},
       "",
       "name role token",
       [](const Call& call) {
         const http::Caller& caller = call.request.caller;
         return json_reply(session_json(caller.name, caller.role, caller.csrf));
       }},
      {HttpMethod::kPost,
       "/api/1/session",
       Right::kNothing,
       Route::Pace::kLater,
       "Signs a person in: {\"name\", \"password\"}.",
       {},
       "application/json",
       "name role token",
       [this](const Call& call) { return sign_in(call); }},
      {HttpMethod::kDelete,
       "/api/1/session",
       Right::kNothing,
       Route::Pace::kAtOnce,
       "Signs out.",
       {},
       "",
       "name role token",
       [this](const Call& call) {
         const http::Caller& caller = call.request.caller;
         if (!caller.changes) return problem({ErrorCode::kDenied, caller.why});
         if (http::Access* access = access_(); access != nullptr && !caller.session.empty())
           access->sign_out(caller.session);
         http::HttpReply reply = json_reply(session_json("", http::Role::kOff, ""));
         reply.headers.emplace_back("Set-Cookie", cookie_text("", secure_));
         return reply;
       }},
  };
}

}  // namespace shingled::milter::api
