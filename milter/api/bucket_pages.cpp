#include "milter/api/bucket_pages.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "config/base/number_text.h"
#include "milter/api/error_status.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::milter::api {

namespace {

using BucketJson = nlohmann::ordered_json;

constexpr unsigned kWrong = 400;
constexpr unsigned kForbidden = 403;
constexpr unsigned kNoBucket = 404;
constexpr unsigned kWrongMethod = 405;
constexpr unsigned kNoAnswer = 503;

http::HttpReply text_reply(unsigned status, const std::string& text) {
  return {status, http::HttpReply{}.type, text + "\n"};
}

http::HttpReply json_reply_of(const BucketJson& object) {
  return {200, "application/json",
          object.dump(-1, ' ', false, BucketJson::error_handler_t::replace) + "\n"};
}

http::HttpReply failure(const Error& error) {
  return text_reply(error_status(error.code), error.message);
}

BucketJson bucket_json(const storage::buckets::BucketState& state) {
  return {{"key", state.key},
          {"type", storage::buckets::bucket_type(state.key)},
          {"drops", state.drops()},
          {"burst", state.rate.burst()},
          {"leak", state.rate.per_second()},
          {"empty_in", std::chrono::duration<double>(state.empty_in).count()}};
}

/// One request for buckets.
class Page {
 public:
  Page(const http::HttpRequest& request, storage::buckets::BucketStore& store, TimePoint deadline)
      : request_(request), store_(store), deadline_(deadline) {}

  http::HttpReply list() {
    const std::size_t most =
        std::min(static_cast<std::size_t>(number("most").value_or(100)), BucketPages::kMost);
    auto found = store_.list(argument("part"), most + 1, deadline_);
    if (!found) return failure(found.error());
    const bool more = found->size() > most;
    if (more) found->resize(most);
    BucketJson list = BucketJson::array();
    for (const storage::buckets::BucketState& state : *found) list.push_back(bucket_json(state));
    return json_reply_of({{"buckets", std::move(list)}, {"more", more}});
  }

  http::HttpReply show() {
    const auto state = store_.show(argument("key"), deadline_);
    if (!state) return failure(state.error());
    if (!*state) return text_reply(kNoBucket, "the bucket is empty");
    return json_reply_of(bucket_json(**state));
  }

  http::HttpReply reset() {
    const auto held = store_.reset(argument("key"), deadline_);
    if (!held) return failure(held.error());
    return json_reply_of({{"reset", *held}});
  }

  http::HttpReply set() {
    const auto drops = number("drops");
    const auto burst = number("burst");
    const auto leak = number("leak");
    if (argument("key").empty() || !drops || !burst || !leak || *burst < 1 || *leak <= 0) {
      return text_reply(kWrong, "needs key, drops of 0 or more, burst of 1 or more, leak above 0");
    }
    const Status done = store_.set(argument("key"), LeakRate(*leak, *burst), *drops, deadline_);
    return done ? json_reply_of({{"set", true}}) : failure(done.error());
  }

 private:
  [[nodiscard]] std::string_view argument(const char* name) const {
    const auto found = request_.arguments.find(name);
    return found == request_.arguments.end() ? std::string_view() : found->second;
  }
  /// A number from 0 to 1e12, far above any useful setting; nullopt otherwise.
  [[nodiscard]] std::optional<double> number(const char* name) const {
    constexpr double kNumberMost = 1e12;
    const auto value = parse_real(argument(name));
    return value && *value >= 0 && *value <= kNumberMost ? value : std::nullopt;
  }

  const http::HttpRequest& request_;
  storage::buckets::BucketStore& store_;
  TimePoint deadline_;
};

struct PageEntry {
  std::string_view path;
  http::HttpMethod method;
  http::HttpReply (Page::*answer)();
};
constexpr std::array<PageEntry, 4> kPages = {
    {{"/buckets", http::HttpMethod::kGet, &Page::list},
     {"/buckets/show", http::HttpMethod::kGet, &Page::show},
     {"/buckets/reset", http::HttpMethod::kPost, &Page::reset},
     {"/buckets/set", http::HttpMethod::kPost, &Page::set}}};

}  // namespace

bool BucketPages::is_page(const std::string& path) {
  return path == "/buckets" || path.starts_with("/buckets/");
}

http::HttpReply BucketPages::answer(const http::HttpRequest& request) const {
  if (!request.direct) {
    return text_reply(kForbidden, std::string("only for programs on this machine that send ") +
                                      http::kDirectHeader);
  }
  const auto* page = std::find_if(kPages.begin(), kPages.end(), [&](const PageEntry& entry) {
    return entry.path == request.path;
  });
  if (page == kPages.end()) return text_reply(kNoBucket, "there is no such page");
  if (page->method != request.method) {
    return text_reply(kWrongMethod,
                      page->method == http::HttpMethod::kPost ? "only POST" : "only GET and HEAD");
  }
  const auto store = store_();
  if (store == nullptr) return text_reply(kNoAnswer, "nothing is limited");
  return (Page(request, *store, clock_.now() + kPatience).*page->answer)();
}

}  // namespace shingled::milter::api
