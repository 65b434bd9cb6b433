#include "milter/desk/bucket_client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "config/base/number_text.h"
#include "milter/api/bucket_resource.h"
#include "milter/api/reply.h"
#include "milter/desk/daemon_choice.h"
#include "storage/open_store.h"

namespace shingled::milter::desk {

namespace {

std::string bucket_target(const std::string& key) {
  return "/api/1/buckets/" + http::percent_encoded(key);
}

}  // namespace

Result<Json> BucketClient::list(const std::string& part, std::size_t most) {
  return ask({.method = http::HttpMethod::kGet,
              .target = fmt::format("/api/1/buckets?part={}&most={}", http::percent_encoded(part),
                                    std::min(most, api::BucketResource::kMost))});
}

Result<Json> BucketClient::show(const std::string& key) {
  return ask({.method = http::HttpMethod::kGet, .target = bucket_target(key)});
}

Result<Json> BucketClient::reset(const std::string& key) {
  return ask({.method = http::HttpMethod::kDelete, .target = bucket_target(key)});
}

Result<Json> BucketClient::set(const std::string& key, double drops, const BucketRate& rate) {
  return ask({.method = http::HttpMethod::kPost,
              .target = fmt::format("{}?drops={}&burst={}&leak={}", bucket_target(key),
                                    shortest_text(drops), shortest_text(rate.burst),
                                    shortest_text(rate.leak))});
}

Result<Json> BucketClient::ask(const http::HttpCall& call) {
  std::string answer;
  const auto keep = [&](std::string_view piece) {
    answer += piece;
    return Status();
  };
  const MailLimitOptions& limits = settings_.ratelimit;
  const bool elsewhere = asks_another_machine(settings_);
  if (store_ == nullptr && (elsewhere || !limits.shared())) {
    const auto reply = daemon_of(settings_, clock_).ask(call, api::DaemonClient::kPatience, keep);
    constexpr unsigned kFound = 200;
    if (reply && reply->status != kFound) return api::error_of(*reply);
    if (reply) return api::object_of(answer);
    // Does not create the file: a daemon that never ran has no buckets.
    const bool nobody = reply.error().code == ErrorCode::kUnavailable;
    if (elsewhere || !nobody || limits.file.empty() || ::access(limits.file.c_str(), F_OK) != 0)
      return reply.error();
  }
  if (store_ == nullptr) {
    if (Status opened = open_store(); !opened) return opened.error();
  }
  const api::BucketResource buckets([this] { return store_; }, clock_);
  if (Status done = answer_here(api::Router(buckets.routes()), call, keep); !done)
    return done.error();
  return api::object_of(answer);
}

Status BucketClient::open_store() {
  auto store = storage::open_buckets(settings_.ratelimit, clock_, random_, logger_);
  if (!store) return store.error();
  store_ = *std::move(store);
  return {};
}

}  // namespace shingled::milter::desk
