#include "milter/api/reply.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace shingled::milter::api {

namespace {

struct StatusRow {
  unsigned status;
  ErrorCode code;
  const char* title;
};

// The first row of a code is the status of its replies; the first of a status is its error.
constexpr std::array<StatusRow, 18> kStatuses = {{
    {400, ErrorCode::kInvalid, "Bad Request"},
    {401, ErrorCode::kDenied, "Unauthorized"},
    {403, ErrorCode::kDenied, "Forbidden"},
    {404, ErrorCode::kNotFound, "Not Found"},
    {405, ErrorCode::kInvalid, "Method Not Allowed"},
    {406, ErrorCode::kInvalid, "Not Acceptable"},
    {409, ErrorCode::kInvalid, "Conflict"},
    {413, ErrorCode::kLimit, "Content Too Large"},
    {414, ErrorCode::kInvalid, "URI Too Long"},
    {415, ErrorCode::kInvalid, "Unsupported Media Type"},
    {421, ErrorCode::kInvalid, "Misdirected Request"},
    {429, ErrorCode::kUnavailable, "Too Many Requests"},
    {431, ErrorCode::kInvalid, "Request Header Fields Too Large"},
    {500, ErrorCode::kInternal, "Internal Server Error"},
    {500, ErrorCode::kCorrupt, "Internal Server Error"},
    {502, ErrorCode::kUnavailable, "Bad Gateway"},
    {503, ErrorCode::kUnavailable, "Service Unavailable"},
    {503, ErrorCode::kTimeout, "Service Unavailable"},
}};

}  // namespace

unsigned status_of(ErrorCode code) {
  constexpr unsigned kTryAgain = 503;
  if (code == ErrorCode::kDenied) return 403;
  if (code == ErrorCode::kUnavailable) return kTryAgain;
  const auto* const row = std::ranges::find(kStatuses, code, &StatusRow::code);
  return row == kStatuses.end() ? kTryAgain : row->status;
}

ErrorCode code_of(unsigned status) {
  const auto* const row = std::ranges::find(kStatuses, status, &StatusRow::status);
  return row == kStatuses.end() ? ErrorCode::kUnavailable : row->code;
}

http::HttpReply json_reply(const Json& object) {
  return {200, "application/json", view::json_text(object) + "\n"};
}

http::HttpReply problem(unsigned status, std::string_view detail) {
  const auto* const row = std::ranges::find(kStatuses, status, &StatusRow::status);
  const Json object = {{"title", row == kStatuses.end() ? "Error" : row->title},
                       {"status", status},
                       {"detail", detail}};
  return {status, "application/problem+json", view::json_text(object) + "\n"};
}

http::HttpReply problem(const Error& error) {
  return problem(status_of(error.code), error.message);
}

std::string shown(std::string_view word) {
  constexpr std::size_t kShownMax = 40;
  std::string out(word.substr(0, kShownMax));
  std::ranges::replace_if(
      out, [](char c) { return c < ' ' || c > '~'; }, '?');
  return out + (word.size() > kShownMax ? "..." : "");
}

Error error_of(const http::HttpReply& reply) {
  const auto object = Json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  const auto detail = object.is_object() ? object.find("detail") : object.end();
  std::string why = detail != object.end() && detail->is_string()
                        ? detail->get<std::string>()
                        : reply.body.substr(0, reply.body.find('\n'));
  if (why.empty()) why = "HTTP status " + std::to_string(reply.status);
  return {code_of(reply.status), std::move(why)};
}

}  // namespace shingled::milter::api
