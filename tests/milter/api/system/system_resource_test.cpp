#include "milter/api/system/system_resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "milter/api/system/match_question.h"
#include "tests/milter/api/asked_routes.h"
#include "tests/support/manual_clock.h"

namespace shingled::milter::api {
namespace {

using shingled::testing::ManualClock;
using ::testing::HasSubstr;

/// A store that has `count` matches for every question.
class ManyMatches final : public storage::FuzzyStore {
 public:
  explicit ManyMatches(std::size_t count) : count_(count) {}
  std::optional<storage::Match> check(const Digest&, const Shingles*,
                                      std::uint32_t) const override {
    return std::nullopt;
  }
  std::vector<storage::Match> check_all(const Fingerprint& asked, std::uint32_t now,
                                        std::size_t most) const override {
    std::vector<storage::Match> matches;
    for (std::size_t i = 0; i < std::min(count_, most); ++i) {
      storage::Match match;
      match.digest = asked.digest;
      match.exact = i == 0;
      match.slots = static_cast<std::uint32_t>(32 - i);
      match.flag_count = 2;
      match.flags[0] = {11, 20};
      match.flags[1] = {13, -1};
      match.created = now - 10;
      match.updated = now - 5;
      matches.push_back(match);
    }
    return matches;
  }
  std::vector<storage::HitCount> most_hit(std::size_t most) const override {
    std::vector<storage::HitCount> hits;
    for (std::size_t i = 0; i < std::min(count_, most); ++i)
      hits.push_back({Digest{}, static_cast<std::uint32_t>(1000 - i)});
    return hits;
  }
  void submit(storage::Update, storage::UpdateDone) override {}
  bool takes_updates() const override { return takes_updates_; }
  std::uint64_t size() const override { return count_; }

  bool takes_updates_ = true;

 private:
  const std::size_t count_;
};

class SystemResourceTest : public ::testing::Test {
 protected:
  http::HttpReply get(const std::string& path, std::map<std::string, std::string> arguments = {}) {
    return testing::ask(system_.routes(), http::HttpMethod::kGet, path, "", std::move(arguments),
                        http::Role::kRead);
  }

  ManualClock clock_;
  MetricRegistry registry_;
  SystemResource system_{registry_, clock_, 2};
  const std::string digest_ = std::string(128, 'a');
};

TEST_F(SystemResourceTest, IsReadyOnlyWhileItServes) {
  EXPECT_EQ(get("/readyz").status, 503U);
  EXPECT_EQ(get("/readyz").body, "starting\n");
  EXPECT_EQ(get("/healthz").status, 200U) << "the process answers from the beginning";
  system_.set_state(SystemResource::State::kServing);
  EXPECT_EQ(get("/readyz").status, 200U);
  ManyMatches store(0);
  system_.set_store(&store);
  EXPECT_EQ(get("/readyz").status, 200U);
  store.takes_updates_ = false;
  EXPECT_EQ(get("/readyz").status, 503U) << "the disk is full";
  EXPECT_EQ(get("/readyz").body, "refusing updates\n");
  system_.set_store(nullptr);
  system_.set_state(SystemResource::State::kDraining);
  EXPECT_EQ(get("/readyz").status, 503U);
  EXPECT_EQ(get("/readyz").body, "draining\n");
  EXPECT_EQ(get("/healthz").status, 200U) << "the process answers to the end";
}

TEST_F(SystemResourceTest, ShowsFactsToWhoMayRead) {
  EXPECT_EQ(Json::parse(get("/api/1/system").body)["groups"], Json::array())
      << "nobody has set them";
  system_.set_facts([](double uptime, const MetricReport& metrics,
                       const SystemResource::ShowFacts& show) {
    const Settings settings;
    const config::Judgements judgements;
    const config::RuleDecisions decisions;
    const SiteFacts site{
        .settings = settings, .metrics = metrics, .judgements = judgements, .decisions = decisions};
    show({.site = site, .state = "serving", .uptime = uptime});
  });
  const Json page = Json::parse(get("/api/1/system").body);
  EXPECT_EQ(page["groups"][0]["name"], "daemon");
  EXPECT_EQ(page["state"], "starting");
  const auto numbers = testing::ask(system_.routes(), http::HttpMethod::kGet, "/api/1/system", "",
                                    {}, http::Role::kMetrics);
  EXPECT_EQ(Json::parse(numbers.body)["groups"], Json::array());
}

TEST_F(SystemResourceTest, ShowsMetricsAsTextAndAsJson) {
  const auto registration = registry_.add([](MetricReport& report) {
    report.counter({"things", "Things that happened."}, 7, {{"by", "\xff\""}});
  });
  clock_.advance(std::chrono::milliseconds(2500));
  const http::HttpReply metrics = get("/metrics");
  EXPECT_THAT(metrics.type, HasSubstr("text/plain; version=0.0.4"));
  EXPECT_EQ(metrics.body,
            "# TYPE things_total counter\n# HELP things_total Things that happened.\n"
            "things_total{by=\"\\\\xff\\\"\"} 7\n");
  http::HttpRequest prometheus;
  prometheus.path = "/metrics";
  prometheus.accept = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5";
  prometheus.caller.role = http::Role::kMetrics;
  const http::HttpReply open = Router(system_.routes()).answer(prometheus);
  EXPECT_THAT(open.type, HasSubstr("application/openmetrics-text"));
  EXPECT_THAT(open.body, ::testing::EndsWith("# EOF\n"));
  const http::HttpReply stat = get("/stat");
  EXPECT_EQ(stat.type, "application/json");
  const Json object = Json::parse(stat.body);
  EXPECT_EQ(object.at("state"), "starting");
  EXPECT_EQ(object.at("uptime"), 2.5);
  EXPECT_EQ(object.at("metrics").at("things").at(0).at("value"), 7);
}

TEST_F(SystemResourceTest, ListsAllMatchesUpToABound) {
  struct Case {
    const char* why;
    std::size_t stored;
    std::size_t listed;
    bool more;
  };
  const Case cases[] = {{"none", 0, 0, false},
                        {"one", 1, 1, false},
                        {"the highest number that is listed", 2, 2, false},
                        {"more than are listed", 3, 2, true}};
  for (const Case& test : cases) {
    const ManyMatches store(test.stored);
    system_.set_store(&store);
    const http::HttpReply reply = get("/matches", {{"digest", digest_}});
    ASSERT_EQ(reply.status, 200U) << test.why;
    const Json object = Json::parse(reply.body);
    EXPECT_EQ(object.at("matches").size(), test.listed) << test.why;
    EXPECT_EQ(object.at("more"), test.more) << test.why;
    system_.set_store(nullptr);
  }
}

TEST_F(SystemResourceTest, ShowsTheFactsOfAMatch) {
  const ManyMatches store(2);
  system_.set_store(&store);
  const Json list = Json::parse(get("/matches", {{"digest", digest_}}).body).at("matches");
  EXPECT_EQ(list.at(1).dump(), "{\"digest\":\"" + digest_ +
                                   "\",\"exact\":false,\"slots\":31,\"prob\":0.96875,\"flags\":"
                                   "[{\"flag\":11,\"value\":20},{\"flag\":13,\"value\":-1}],"
                                   "\"created\":1699999990,\"updated\":1699999995}");
  EXPECT_EQ(list.at(0).at("prob"), 1.0);
  system_.set_store(nullptr);
}

TEST_F(SystemResourceTest, RefusesRequestsThatItCannotAnswer) {
  struct Case {
    const char* why;
    const char* path;
    std::map<std::string, std::string> arguments;
    unsigned status;
  };
  const Case cases[] = {
      {"there is no such page", "/", {}, 404},
      {"names are exact", "/metrics/", {}, 404},
      {"a path of a file", "/../../etc/passwd", {}, 404},
      {"no question", "/matches", {}, 400},
      {"no digest", "/matches", {{"digest", "<script>"}}, 400},
      {"the storage is not open", "/matches", {{"digest", digest_}}, 503},
  };
  for (const Case& test : cases) {
    const http::HttpReply reply = get(test.path, test.arguments);
    EXPECT_EQ(reply.status, test.status) << test.why;
    EXPECT_EQ(reply.body.find('<'), std::string::npos) << "nothing of the request comes back";
  }
}

TEST_F(SystemResourceTest, ListsTheHashesWithTheMostHits) {
  EXPECT_EQ(get("/hits").status, 503U) << "there is no storage yet";
  const ManyMatches store(2000);
  system_.set_store(&store);
  const Json two = Json::parse(get("/hits", {{"most", "2"}}).body);
  ASSERT_EQ(two["hits"].size(), 2U);
  EXPECT_EQ(two["hits"][0]["hits"], 1000);
  EXPECT_EQ(two["hits"][0]["digest"], std::string(128, '0'));
  EXPECT_EQ(Json::parse(get("/hits").body)["hits"].size(), 100U);
  EXPECT_EQ(get("/hits", {{"most", "1000"}}).status, 200U);
  for (const char* most : {"0", "1001", "-1", "", "1x", "99999999999999999999999"})
    EXPECT_EQ(get("/hits", {{"most", most}}).status, 400U) << most;
}

}  // namespace
}  // namespace shingled::milter::api
