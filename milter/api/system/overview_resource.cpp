#include "milter/api/system/overview_resource.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "milter/api/reply.h"
#include "milter/api/system/metric_json.h"
#include "milter/history/message_record.h"
#include "milter/view/policy_json.h"

namespace shingled::milter::api {

namespace {

using history::TrafficSummary;

struct OverviewSpan {
  std::string_view name;
  std::chrono::minutes step;
  std::size_t count;
};
constexpr std::array<OverviewSpan, 3> kSpans = {{{"1h", std::chrono::minutes(1), 60},
                                                 {"24h", std::chrono::minutes(10), 144},
                                                 {"14d", std::chrono::hours(2), 168}}};

std::string seconds_text(std::int64_t seconds) {
  return view::time_text(WallTime(std::chrono::seconds(seconds)));
}

Json minutes_json(const TrafficSummary::Numbers& numbers, std::chrono::seconds step) {
  Json out = Json::array();
  std::int64_t time = numbers.since;
  for (const TrafficSummary::Actions& actions : numbers.steps) {
    Json counts = Json::object();
    for (std::size_t i = 0; i < actions.size(); ++i)
      if (actions[i] > 0)
        counts[std::string(history::action_text(static_cast<std::uint8_t>(i)))] = actions[i];
    out.push_back({{"time", seconds_text(time)}, {"actions", std::move(counts)}});
    time += step.count();
  }
  return out;
}

Json scores_json(const TrafficSummary::Numbers& numbers) {
  constexpr auto& kEnds = TrafficSummary::kScores;
  Json out = Json::array();
  for (std::size_t i = 0; i < numbers.scores.size(); ++i) {
    if (numbers.scores[i] == 0) continue;
    out.push_back({{"from", i == 0 ? Json(nullptr) : Json(kEnds[i - 1])},
                   {"to", i == kEnds.size() ? Json(nullptr) : Json(kEnds[i])},
                   {"messages", numbers.scores[i]}});
  }
  return out;
}

/// {"p50", "p99"} of the time from the first command of a message to its verdict.
Json verdict_json(const MetricReport& metrics) {
  constexpr double kMilliseconds = 1000;
  Json out = {{"p50", nullptr}, {"p99", nullptr}};
  const Json all = metrics_json(metrics);
  const auto stages = all.find("shingled_mail_stage_seconds");
  if (stages == all.end()) return out;
  for (const Json& sample : *stages) {
    const auto labels = sample.find("labels");
    if (labels == sample.end() || labels->value("stage", std::string()) != "total") continue;
    for (const char* name : {"p50", "p99"}) {
      const Json& seconds = sample.at("value").at(name);
      if (seconds.is_number()) out[name] = seconds.get<double>() * kMilliseconds;
    }
  }
  return out;
}

Json waiting_json(const MetricReport& metrics) {
  const auto whole = [&](std::string_view name) {
    return static_cast<std::uint64_t>(std::max(0.0, metrics.total(name)));
  };
  return {{"messages", whole("shingled_mail_under_way")},
          {"history", whole("shingled_history_waiting")},
          {"updates", whole("shingled_storage_updates_waiting")},
          {"replication", whole("shingled_replication_lag_records")}};
}

Json attention_json(const std::vector<Attention>& all) {
  Json out = Json::array();
  for (const Attention& one : all)
    out.push_back({{"what", one.what},
                   {"text", one.text},
                   {"link", one.link.empty() ? Json(nullptr) : Json(one.link)}});
  return out;
}

Json setup_json(const std::vector<SetupStep>& steps) {
  Json out = Json::array();
  for (const SetupStep& one : steps)
    out.push_back({{"step", one.step},
                   {"done", one.done},
                   {"command", one.command.empty() ? Json(nullptr) : Json(one.command)},
                   {"text", one.text}});
  return out;
}

}  // namespace

http::HttpReply OverviewResource::overview(const Call& call) const {
  const std::string asked = call.has("span") ? call.text("span") : "24h";
  const auto* const span = std::ranges::find(kSpans, asked, &OverviewSpan::name);
  const WallTime now = clock_.wall();
  std::string off;
  TrafficSummary::Numbers numbers;
  std::int64_t counted_since = 0;
  {
    auto opened = history_();
    auto traffic = traffic_.lock();
    const TrafficSummary::Numbers empty = traffic->numbers(now, span->step, span->count);
    const WallTime since{std::chrono::seconds(empty.since)};
    const Status read =
        opened ? traffic->read_on(*opened->reader, since, now, clock_, clock_.now() + kWorkTime)
               : Status(opened.error());
    if (!read) off = read.error().message;
    numbers = traffic->numbers(now, span->step, span->count);
    counted_since = traffic->counted_since();
  }
  const bool complete = off.empty() && counted_since <= numbers.since;
  const MetricReport metrics = metrics_.read();
  const Advice advice = advise_(metrics);
  Json from = nullptr;
  if (off.empty()) from = seconds_text(std::max(counted_since, numbers.since));
  Json out = {{"span", span->name},
              {"since", seconds_text(numbers.since)},
              {"until", view::time_text(now)},
              {"complete", complete},
              {"from", from},
              {"step", std::chrono::seconds(span->step).count()},
              {"messages", numbers.messages},
              {"minutes", minutes_json(numbers, span->step)},
              {"scores", scores_json(numbers)},
              {"verdict_ms", verdict_json(metrics)},
              {"waiting", waiting_json(metrics)},
              {"attention", attention_json(advice.attention)},
              {"setup", setup_json(advice.setup)}};
  if (!off.empty()) out["off"] = off;
  return json_reply(out);
}

std::vector<Route> OverviewResource::routes() const {
  return {
      {http::HttpMethod::kGet,
       "/api/1/overview",
       http::Right::kRead,
       Route::Pace::kLater,
       "Messages by action and score over time, what needs attention, and the first steps.",
       {{"span", "how far back (24h)", Parameter::Kind::kWord, false, 0, 0, {"1h", "24h", "14d"}}},
       "",
       "span since until complete from step messages minutes scores verdict_ms waiting "
       "attention setup",
       [this](const Call& call) { return overview(call); }}};
}

}  // namespace shingled::milter::api
