#include "milter/api/status_pages.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "config/base/number_text.h"
#include "config/metrics/openmetrics.h"
#include "milter/api/match_question.h"
#include "milter/api/metric_json.h"

namespace shingled::milter::api {

namespace {

constexpr unsigned kBadRequest = 400;
constexpr unsigned kNotFound = 404;
constexpr unsigned kWrongMethod = 405;
constexpr unsigned kUnavailable = 503;

using PageJson = nlohmann::ordered_json;

http::HttpReply plain(unsigned status, std::string text) {
  return {status, http::HttpReply{}.type, std::move(text)};
}

http::HttpReply json_reply(const PageJson& object) {
  return {200, "application/json",
          object.dump(-1, ' ', false, PageJson::error_handler_t::replace) + "\n"};
}

PageJson match_json(const storage::Match& match) {
  PageJson flags = PageJson::array();
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

std::string_view to_string(StatusPages::State state) {
  switch (state) {
    case StatusPages::State::kStarting:
      return "starting";
    case StatusPages::State::kServing:
      return "serving";
    case StatusPages::State::kDraining:
      return "draining";
  }
  return "starting";
}

StatusPages::StatusPages(const MetricRegistry& registry, const Clock& clock,
                         std::size_t matches_max)
    : registry_(registry),
      clock_(clock),
      matches_max_(matches_max),
      start_(clock.now()),
      store_(std::in_place, nullptr) {}

http::HttpReply StatusPages::answer(const http::HttpRequest& request) const {
  if (buckets_ != nullptr && BucketPages::is_page(request.path)) return buckets_->answer(request);
  if (counters_ != nullptr && CounterPages::is_page(request.path)) {
    return counters_->answer(request);
  }
  if (reports_ != nullptr && ReportPages::is_page(request.path)) return reports_->answer(request);
  if (request.method != http::HttpMethod::kGet) return plain(kWrongMethod, "only GET and HEAD\n");
  if (request.path == "/metrics") {
    return {200, std::string(kOpenMetricsType), openmetrics_text(registry_.read())};
  }
  if (request.path == "/stat") return stat();
  if (request.path == "/healthz") return plain(200, "ok\n");
  if (request.path == "/readyz") return readiness();
  if (request.path == "/matches") return matches(request);
  if (request.path == "/hits") return hits(request);
  return plain(kNotFound, "there are /metrics /stat /healthz /readyz /hits /matches\n");
}

http::HttpReply StatusPages::readiness() const {
  const State state = state_;
  return plain(state == State::kServing ? 200 : kUnavailable, std::string(to_string(state)) + "\n");
}

http::HttpReply StatusPages::stat() const {
  const auto uptime = std::chrono::duration<double>(clock_.now() - start_);
  return json_reply({{"version", SHINGLED_VERSION},
                     {"state", to_string(state_)},
                     {"uptime", uptime.count()},
                     {"metrics", metrics_json(registry_.read())}});
}

http::HttpReply StatusPages::hits(const http::HttpRequest& request) const {
  std::size_t most = 100;
  if (const auto asked = request.arguments.find("most"); asked != request.arguments.end()) {
    const auto number = parse_whole<std::size_t>(asked->second, 1, kHitsMost);
    if (!number) {
      return plain(kBadRequest, "most: must be 1 to " + std::to_string(kHitsMost) + "\n");
    }
    most = *number;
  }
  std::vector<storage::HitCount> found;
  {
    auto store = store_.lock();
    if (*store == nullptr) return plain(kUnavailable, "the storage is not open\n");
    found = (*store)->most_hit(most);
  }
  PageJson list = PageJson::array();
  for (const storage::HitCount& one : found)
    list.push_back({{"digest", to_hex(one.digest.bytes)}, {"hits", one.hits}});
  return json_reply({{"hits", std::move(list)}});
}

http::HttpReply StatusPages::matches(const http::HttpRequest& request) const {
  const auto asked = parse_match_question(request.arguments);
  if (!asked) return plain(kBadRequest, asked.error().message + "\n");
  const auto now = unix_seconds(clock_.wall());
  std::vector<storage::Match> found;
  {
    auto store = store_.lock();
    if (*store == nullptr) return plain(kUnavailable, "the storage is not open\n");
    found = (*store)->check_all(*asked, now, matches_max_ + 1);
  }
  const bool more = found.size() > matches_max_;
  if (more) found.resize(matches_max_);
  PageJson list = PageJson::array();
  for (const storage::Match& match : found) list.push_back(match_json(match));
  return json_reply({{"matches", std::move(list)}, {"more", more}});
}

}  // namespace shingled::milter::api
