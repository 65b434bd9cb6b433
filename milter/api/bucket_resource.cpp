#include "milter/api/bucket_resource.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "milter/api/reply.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::milter::api {

namespace {

using storage::buckets::BucketState;
using storage::buckets::BucketStore;

constexpr std::int64_t kAmountMost = 1'000'000'000'000;  // far above any useful setting

Json bucket_json(const BucketState& state) {
  return {{"key", state.key},
          {"type", storage::buckets::bucket_type(state.key)},
          {"drops", state.drops()},
          {"burst", state.rate.burst()},
          {"leak", state.rate.per_second()},
          {"empty_in", std::chrono::duration<double>(state.empty_in).count()}};
}

http::HttpReply list(BucketStore& store, const Call& call, TimePoint deadline) {
  const auto most = static_cast<std::size_t>(call.integer("most", 100));
  auto found = store.list(call.text("part"), most + 1, deadline);
  if (!found) return problem(found.error());
  const bool more = found->size() > most;
  if (more) found->resize(most);
  Json list = Json::array();
  for (const BucketState& state : *found) list.push_back(bucket_json(state));
  return json_reply({{"buckets", std::move(list)}, {"more", more}});
}

http::HttpReply show(BucketStore& store, const Call& call, TimePoint deadline) {
  const auto state = store.show(call.part, deadline);
  if (!state) return problem(state.error());
  if (!*state) return problem({ErrorCode::kNotFound, "the bucket is empty"});
  return json_reply(bucket_json(**state));
}

http::HttpReply reset(BucketStore& store, const Call& call, TimePoint deadline) {
  const auto held = store.reset(call.part, deadline);
  return held ? json_reply({{"reset", *held}}) : problem(held.error());
}

http::HttpReply set(BucketStore& store, const Call& call, TimePoint deadline) {
  if (!(call.number("burst") >= 1) || !(call.number("leak") > 0))
    return problem({ErrorCode::kInvalid, "burst must be 1 or more, and leak above 0"});
  const LeakRate rate(call.number("leak"), call.number("burst"));
  const Status done = store.set(call.part, rate, call.number("drops"), deadline);
  return done ? json_reply({{"set", true}}) : problem(done.error());
}

}  // namespace

std::vector<Route> BucketResource::routes() const {
  using http::HttpMethod;
  using http::Right;
  using Kind = Parameter::Kind;
  const auto with = [this](http::HttpReply (*answer)(BucketStore&, const Call&, TimePoint)) {
    return [this, answer](const Call& call) {
      const auto store = store_();
      if (store == nullptr) return problem({ErrorCode::kUnavailable, "nothing is limited"});
      return answer(*store, call, clock_.now() + kPatience);
    };
  };
  const auto amount = [](std::string_view name, std::string_view help) {
    return Parameter{name, help, Kind::kNumber, true, 0, kAmountMost};
  };
  return {
      {HttpMethod::kGet,
       "/api/1/buckets",
       Right::kRead,
       Route::Pace::kLater,
       "Buckets of the rate limits, the fullest first.",
       {{"part", "in the keys"}, {"most", "in the answer", Kind::kInteger, false, 1, kMost}},
       "",
       "buckets more",
       with(&list)},
      {HttpMethod::kGet,
       "/api/1/buckets/{key}",
       Right::kRead,
       Route::Pace::kLater,
       "One bucket.",
       {},
       "",
       "key type drops burst leak empty_in",
       with(&show)},
      {HttpMethod::kDelete,
       "/api/1/buckets/{key}",
       Right::kChange,
       Route::Pace::kLater,
       "Empties a bucket.",
       {},
       "",
       "reset",
       with(&reset)},
      {HttpMethod::kPost,
       "/api/1/buckets/{key}",
       Right::kChange,
       Route::Pace::kLater,
       "Sets the content of a bucket.",
       {amount("drops", "what it holds"), amount("burst", "what fits into it"),
        amount("leak", "what leaks in a second")},
       "",
       "set",
       with(&set)},
  };
}

}  // namespace shingled::milter::api
