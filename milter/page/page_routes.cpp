#include "milter/page/page_routes.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "milter/api/reply.h"
#include "milter/page/page_file.h"

namespace shingled::milter::page {

namespace {

constexpr unsigned kNotModified = 304;
constexpr unsigned kNotFound = 404;

// Texts of strangers are never taken for markup: a browser that knows trusted types refuses even
// the attempt.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

http::HttpReply file_reply(const http::HttpRequest& request, std::string_view name) {
  const auto files = page_files();
  const auto file = std::ranges::find(files, name, &PageFile::name);
  if (file == files.end()) return api::problem(kNotFound, "there is nothing at this path");
  http::HttpReply reply;
  reply.type = file->type;
  reply.headers = {{"Cache-Control", "no-cache"},
                   {"ETag", std::string(file->etag)},
                   {"Content-Security-Policy", kPolicy},
                   {"Cross-Origin-Resource-Policy", "same-origin"},
                   {"X-Frame-Options", "DENY"}};
  if (request.if_none_match.find(file->etag) != std::string::npos) {
    reply.status = kNotModified;
    return reply;
  }
  reply.body = file->gzip;
  reply.headers.emplace_back("Content-Encoding", "gzip");
  return reply;
}

}  // namespace

std::vector<api::Route> page_routes() {
  using http::HttpMethod;
  using http::Right;
  return {{HttpMethod::kGet,
           "/",
           Right::kNothing,
           api::Route::Pace::kAtOnce,
           "The page.",
           {},
           "",
           "",
           [](const api::Call& call) { return file_reply(call.request, "index.html"); }},
          {HttpMethod::kGet,
           "/page/{file}",
           Right::kNothing,
           api::Route::Pace::kAtOnce,
           "A file of the page.",
           {},
           "",
           "",
           [](const api::Call& call) { return file_reply(call.request, call.part); }}};
}

}  // namespace shingled::milter::page
