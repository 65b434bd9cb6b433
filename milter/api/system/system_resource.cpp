#include "milter/api/system/system_resource.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "config/metrics/metric_text.h"
#include "milter/api/reply.h"
#include "milter/api/system/match_question.h"
#include "milter/api/system/metric_json.h"

namespace shingled::milter::api {

namespace {

constexpr unsigned kNotReady = 503;

http::HttpReply plain(unsigned status, std::string text) {
  return {status, http::HttpReply{}.type, std::move(text)};
}

Json match_json(const storage::Match& match) {
  Json flags = Json::array();
  const auto count = std::min<std::size_t>(match.flag_count, match.flags.size());
  for (std::size_t i = 0; i < count; ++i) {
    flags.push_back({{"flag", match.flags[i].flag}, {"value", match.flags[i].value}});
  }
  return {{"digest", to_hex(match.digest.bytes)},
          {"exact", match.exact},
          {"slots", match.slots},
          {"prob", match.probability()},
          {"flags", std::move(flags)},
          {"created", match.created},
          {"updated", match.updated}};
}

}  // namespace

std::string_view to_string(SystemResource::State state) {
  switch (state) {
    case SystemResource::State::kStarting:
      return "starting";
    case SystemResource::State::kServing:
      return "serving";
    case SystemResource::State::kDraining:
      return "draining";
  }
  return "starting";
}

SystemResource::SystemResource(const MetricRegistry& registry, const Clock& clock,
                               std::size_t matches_max)
    : registry_(registry),
      clock_(clock),
      matches_max_(matches_max),
      start_(clock.now()),
      store_(std::in_place, nullptr) {}

std::vector<Route> SystemResource::routes() const {
  using http::HttpMethod;
  using http::Right;
  using Kind = Parameter::Kind;
  const auto get = [](std::string_view path, Right right, std::string_view summary,
                      std::vector<Parameter> parameters, std::string_view members,
                      std::function<http::HttpReply(const Call&)> answer) {
    return Route{HttpMethod::kGet,      path, right,   Route::Pace::kAtOnce, summary,
                 std::move(parameters), "",   members, std::move(answer)};
  };
  return {
      get("/metrics", Right::kMetrics, "All metrics, as text.", {}, "",
          [this](const Call& call) -> http::HttpReply {
            const MetricFormat format = metric_format(call.request.accept);
            return {200, std::string(content_type(format)), metric_text(registry_.read(), format)};
          }),
      get("/healthz", Right::kNothing, "200 while the process answers.", {}, "",
          [](const Call&) { return plain(200, "ok\n"); }),
      get("/readyz", Right::kNothing, "200 while it serves and takes updates.", {}, "",
          [this](const Call&) { return readiness(); }),
      get("/stat", Right::kMetrics, "Version, state and all metrics.", {},
          "version state uptime metrics", [this](const Call&) { return stat(); }),
      {HttpMethod::kGet,
       "/api/1/system",
       Right::kMetrics,
       Route::Pace::kLater,
       "Version, state and all metrics; for who may read also facts in groups.",
       {},
       "",
       "version state uptime metrics groups",
       [this](const Call& call) { return system(call); }},
      get("/api/1/hashes/top", Right::kRead,
          "The stored hashes with the most hits since the start.",
          {{"most", "in the answer", Kind::kInteger, false, 1, kHitsMost}}, "hits",
          [this](const Call& call) { return hits(call); }),
      get("/api/1/hashes/matches", Right::kRead,
          "All stored hashes that match one, the best first.",
          {{"digest", "128 hexadecimal digits", Kind::kText, true},
           {"shingles", "32 decimal numbers with commas"}},
          "matches more", [this](const Call& call) { return matches(call); }),
  };
}

http::HttpReply SystemResource::readiness() const {
  const State state = state_;
  if (state != State::kServing) return plain(kNotReady, std::string(to_string(state)) + "\n");
  return takes_updates() ? plain(200, "serving\n") : plain(kNotReady, "refusing updates\n");
}

bool SystemResource::takes_updates() const {
  auto store = store_.lock();
  return *store == nullptr || (*store)->takes_updates();
}

Json SystemResource::stat_json(const MetricReport& metrics) const {
  const auto uptime = std::chrono::duration<double>(clock_.now() - start_);
  return {{"version", SHINGLED_VERSION},
          {"state", to_string(state_)},
          {"uptime", uptime.count()},
          {"metrics", metrics_json(metrics)}};
}

http::HttpReply SystemResource::stat() const { return json_reply(stat_json(registry_.read())); }

http::HttpReply SystemResource::system(const Call& call) const {
  const MetricReport metrics = registry_.read();
  Json out = stat_json(metrics);
  out["groups"] = Json::array();
  if (facts_ && call.request.may(http::Right::kRead)) {
    facts_(out["uptime"].get<double>(), metrics,
           [&](const SystemFacts& facts) { out["groups"] = system_groups(facts); });
  }
  return json_reply(out);
}

http::HttpReply SystemResource::hits(const Call& call) const {
  const auto most = static_cast<std::size_t>(call.integer("most", 100));
  std::vector<storage::HitCount> found;
  {
    auto store = store_.lock();
    if (*store == nullptr) return problem({ErrorCode::kUnavailable, "the storage is not open"});
    found = (*store)->most_hit(most);
  }
  Json list = Json::array();
  for (const storage::HitCount& one : found)
    list.push_back({{"digest", to_hex(one.digest.bytes)}, {"hits", one.hits}});
  return json_reply({{"hits", std::move(list)}});
}

std::vector<storage::Match> SystemResource::matches_of(const Fingerprint& fingerprint,
                                                       std::size_t most) const {
  auto store = store_.lock();
  if (*store == nullptr) return {};
  return (*store)->check_all(fingerprint, unix_seconds(clock_.wall()), most);
}

http::HttpReply SystemResource::matches(const Call& call) const {
  const auto asked = parse_match_question(call.request.arguments);
  if (!asked) return problem(asked.error());
  const auto now = unix_seconds(clock_.wall());
  std::vector<storage::Match> found;
  {
    auto store = store_.lock();
    if (*store == nullptr) return problem({ErrorCode::kUnavailable, "the storage is not open"});
    found = (*store)->check_all(*asked, now, matches_max_ + 1);
  }
  const bool more = found.size() > matches_max_;
  if (more) found.resize(matches_max_);
  Json list = Json::array();
  for (const storage::Match& match : found) list.push_back(match_json(match));
  return json_reply({{"matches", std::move(list)}, {"more", more}});
}

}  // namespace shingled::milter::api
