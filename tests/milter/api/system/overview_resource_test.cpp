// Covers milter/api/system/overview_advice.cpp and milter/api/system/system_facts.cpp, too.
#include "milter/api/system/overview_resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "milter/api/system/system_facts.h"
#include "milter/history/row_code.h"
#include "tests/milter/api/asked_routes.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Facts {
  Settings settings;
  MetricReport metrics;
  config::Judgements judgements;
  config::RuleDecisions decisions;
  [[nodiscard]] SiteFacts site() const {
    return {
        .settings = settings, .metrics = metrics, .judgements = judgements, .decisions = decisions};
  }
  [[nodiscard]] std::vector<std::string> attention(const SiteFacts& site) const {
    std::vector<std::string> out;
    for (const Attention& one : attention_of(site)) out.push_back(one.what);
    return out;
  }
};

TEST(Attention, IsEmptyWhenAllIsWell) { EXPECT_TRUE(attention_of(Facts().site()).empty()); }

TEST(Attention, NamesTheGravestFirst) {
  Facts facts;
  facts.judgements.rules = {{.name = "A", .stage = config::RuleStage::kProposed},
                            {.name = "B", .stage = config::RuleStage::kProposed},
                            {.name = "C", .stage = config::RuleStage::kShadow}};
  facts.decisions = {{"B", false, {}, ""}};
  SiteFacts site = facts.site();
  site.settings_good = site.takes_updates = false;
  site.counters_off = "no room";
  site.open_cases = 2;
  site.errors = {"history_refused reason=x"};
  EXPECT_THAT(facts.attention(site),
              ElementsAre("disk", "settings", "counters", "case", "rule", "error"));
  EXPECT_EQ(attention_of(site)[4].link, "rules/A");
  site.errors.assign(100, "x");
  EXPECT_EQ(attention_of(site).size(), kAttentionMost);
}

TEST(Setup, KnowsWhatIsDone) {
  Facts facts;
  facts.metrics.counter({"shingled_mail_messages", ""}, 3);
  facts.settings.milter.dry_run = true;
  const auto done = [](const std::vector<SetupStep>& steps, const char* name) {
    return std::ranges::find(steps, name, &SetupStep::step)->done;
  };
  const auto steps = setup_of(facts.site());
  EXPECT_TRUE(done(steps, "mail"));
  EXPECT_FALSE(done(steps, "hashes"));
  EXPECT_FALSE(done(steps, "people"));
  EXPECT_FALSE(done(steps, "live"));
  for (const SetupStep& step : steps) EXPECT_FALSE(step.text.empty()) << step.step;
}

TEST(SystemGroups, AreThoseOfThisDaemon) {
  Facts facts;
  facts.settings.storage.backend = Backend::kEmbedded;
  facts.metrics.gauge({"shingled_storage_records", ""}, std::uint64_t{1234567});
  facts.metrics.counter({"shingled_client_replies", ""}, 7, {{"rule", "r"}, {"server", "a:1"}});
  facts.metrics.gauge({"shingled_client_resting", ""}, std::uint64_t{1},
                      {{"rule", "r"}, {"server", "a:1"}});
  const SiteFacts site = facts.site();
  const auto groups_of = [&] {
    const Json groups = system_groups(
        {.site = site,
         .state = "serving",
         .uptime = 60,
         .files = {{"history.file", "/h.db", 2048}},
         .disks = {{"/full", 1, 100}, {"/empty", 90, 100}},
         .versions = {{"shingled", "1"}},
         .warnings = {{WallTime(std::chrono::seconds(5)), true, "history_refused why=x", 3}}});
    std::map<std::string, Json> out;
    for (const Json& group : groups) out[group["name"]] = group["facts"];
    return out;
  };
  auto groups = groups_of();
  EXPECT_EQ(groups["storage"][1]["text"], "1,234,567");
  EXPECT_EQ(groups["storage"][1]["value"], 1234567);
  EXPECT_EQ(groups["servers"][0]["state"], "bad");
  EXPECT_EQ(groups["disk"][0]["state"], "bad");
  EXPECT_EQ(groups["disk"][1]["state"], "ok");
  EXPECT_EQ(groups["files"][0]["text"], "2.0 KiB");
  EXPECT_EQ(groups["warnings"][0]["name"], "history_refused");
  EXPECT_EQ(groups["warnings"][0]["text"], "history_refused why=x (3 times)");
  EXPECT_FALSE(groups.contains("redis"));
  EXPECT_FALSE(groups.contains("replication"));
  facts.settings.milter.enabled = false;
  EXPECT_FALSE(groups_of().contains("mail"));
}

class OverviewTest : public ::testing::Test {
 protected:
  Json ask(std::map<std::string, std::string> arguments = {}) {
    return Json::parse(testing::ask(overview_.routes(), http::HttpMethod::kGet, "/api/1/overview",
                                    "", std::move(arguments))
                           .body);
  }
  shingled::testing::TemporaryDirectory folder_;
  std::string file_ = folder_.file("history.db");
  shingled::testing::ManualClock clock_;
  MetricRegistry registry_;
  Histogram times_{kLatencyShape};
  MetricRegistry::Registration registered_ = registry_.add([this](MetricReport& report) {
    report.histogram({"shingled_mail_stage_seconds", ""}, times_.read(), {{"stage", "total"}});
    report.gauge({"shingled_mail_under_way", ""}, std::uint64_t{3});
  });
  OverviewResource overview_{[this]() -> Result<SiteHistory> {
                               auto reader = storage::sqlite::HistoryReader::open(file_);
                               if (!reader)
                                 return Error{ErrorCode::kUnavailable, "there is no history here"};
                               return SiteHistory{*std::move(reader), {}};
                             },
                             registry_,
                             [](const MetricReport&) {
                               return OverviewResource::Advice{
                                   {{"case", "one", "cases"}, {"error", "x", ""}},
                                   {{"mail", true, "", "t"}}};
                             },
                             clock_};
};

TEST_F(OverviewTest, SaysWhyThereAreNoNumbers) {
  const Json page = ask();
  EXPECT_EQ(page["off"], "there is no history here");
  EXPECT_EQ(page["complete"], false);
  EXPECT_EQ(page["minutes"].size(), 144U);
  EXPECT_TRUE(page["verdict_ms"]["p50"].is_null());
  EXPECT_EQ(page["attention"][0], Json::parse(R"({"what":"case","text":"one","link":"cases"})"));
  EXPECT_TRUE(page["attention"][1]["link"].is_null());
  EXPECT_TRUE(page["setup"][0]["command"].is_null());
}

TEST_F(OverviewTest, CountsWhatTheHistoryHas) {
  auto table = storage::sqlite::HistoryTable::open(file_);
  ASSERT_TRUE(table);
  history::MessageRecord record;
  record.score = 30;
  const std::int64_t now = clock_.wall().time_since_epoch().count() * 1'000'000;
  ASSERT_TRUE((*table)->write(
      std::vector<storage::sqlite::HistoryRow>{
          {.time = now - 1, .queue_id = "Q", .details = encode_record(record)}},
      {}));
  times_.observe(std::chrono::milliseconds(3));
  for (const char* span : {"1h", "24h", "14d"}) {
    const Json page = ask({{"span", span}});
    EXPECT_EQ(page["complete"], true);
    EXPECT_FALSE(page.contains("off"));
    EXPECT_EQ(page["messages"], 1);
    EXPECT_EQ(page["scores"], Json::parse(R"([{"from":30,"to":null,"messages":1}])"));
    EXPECT_GT(page["verdict_ms"]["p50"], 2.9);
    EXPECT_EQ(page["waiting"]["messages"], 3);
    EXPECT_EQ(page["from"], page["since"]);
  }
}

}  // namespace
}  // namespace shingled::milter::api
