#include "milter/cli/access/bucket_client.h"

#include <fmt/format.h>
#include <unistd.h>

#include "config/base/ascii.h"
#include "config/base/number_text.h"
#include "config/system/connect_socket.h"
#include "milter/http/http_client.h"
#include "storage/open_store.h"

namespace shingled::milter::cli {

namespace {

constexpr std::chrono::seconds kDeskPatience{5};

/// RFC 3986: all but the unreserved characters as %XX.
std::string url_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = ascii::is_alnum(c) || c == '-' || c == '_' || c == '.';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string target_of(const http::HttpRequest& request) {
  std::string out = request.path;
  char before = '?';
  for (const auto& [name, value] : request.arguments) {
    out += before + name + '=' + url_escaped(value);
    before = '&';
  }
  return out;
}

/// The content of a reply, or the reason why it has none.
Result<Json> content_of(const http::HttpReply& reply) {
  constexpr unsigned kFound = 200;
  constexpr unsigned kNothing = 404;
  constexpr unsigned kWrongRequest = 400;
  if (reply.status == kFound) {
    Json page = Json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
    if (page.is_object()) return page;
    return Error{ErrorCode::kInvalid, "the answer is not JSON"};
  }
  std::string why = reply.body.substr(0, reply.body.find('\n'));
  const ErrorCode code = reply.status == kNothing        ? ErrorCode::kNotFound
                         : reply.status == kWrongRequest ? ErrorCode::kInvalid
                                                         : ErrorCode::kUnavailable;
  return Error{code, std::move(why)};
}

}  // namespace

Result<Json> BucketClient::list(const std::string& part, std::size_t most) {
  return ask(
      {"/buckets", {{"part", part}, {"most", std::to_string(most)}}, http::HttpMethod::kGet, true});
}

Result<Json> BucketClient::show(const std::string& key) {
  return ask({"/buckets/show", {{"key", key}}, http::HttpMethod::kGet, true});
}

Result<Json> BucketClient::reset(const std::string& key) {
  return ask({"/buckets/reset", {{"key", key}}, http::HttpMethod::kPost, true});
}

Result<Json> BucketClient::set(const std::string& key, double drops, const BucketRate& rate) {
  return ask({"/buckets/set",
              {{"key", key},
               {"drops", shortest_text(drops)},
               {"burst", shortest_text(rate.burst)},
               {"leak", shortest_text(rate.leak)}},
              http::HttpMethod::kPost,
              true});
}

Result<Json> BucketClient::ask(const http::HttpRequest& request) {
  const MailLimitOptions& limits = settings_.ratelimit;
  if (store_ == nullptr && !limits.shared()) {
    const auto reply = ask_daemon(request);
    if (reply) return content_of(*reply);
    // Does not create the file: a daemon that never ran has no buckets.
    const bool nobody = reply.error().code == ErrorCode::kUnavailable;
    if (!nobody || limits.file.empty() || ::access(limits.file.c_str(), F_OK) != 0) {
      return reply.error();
    }
  }
  if (store_ == nullptr) {
    if (Status opened = open_store(); !opened) return opened.error();
  }
  const api::BucketPages pages([this] { return store_; }, clock_);
  return content_of(pages.answer(request));
}

Status BucketClient::open_store() {
  auto store = storage::open_buckets(settings_.ratelimit, clock_, random_, logger_);
  if (!store) return store.error();
  store_ = *std::move(store);
  return {};
}

Result<http::HttpReply> BucketClient::ask_daemon(const http::HttpRequest& request) {
  if (settings_.status.listen.empty()) {
    return Error{ErrorCode::kUnavailable,
                 "only the daemon can read its buckets, and status.listen is empty"};
  }
  const SocketSpec daemon = spec_to_connect(settings_.status.listen.front());
  const TimePoint deadline = clock_.now() + kDeskPatience;
  const std::string target = target_of(request);
  return request.method == http::HttpMethod::kPost
             ? http::http_post(daemon, target, clock_, deadline)
             : http::http_get(daemon, target, clock_, deadline);
}

}  // namespace shingled::milter::cli
