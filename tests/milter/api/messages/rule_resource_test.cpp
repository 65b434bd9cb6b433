// Covers milter/api/messages/rule_json.cpp, milter/api/messages/rule_request.cpp and
// milter/view/policy_json.cpp, too.
#include "milter/api/messages/rule_resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/promotions/promoted_rules.h"
#include "milter/api/messages/rule_request.h"
#include "milter/history/row_code.h"
#include "milter/policy/policy_rules.h"
#include "milter/view/policy_json.h"
#include "tests/milter/api/asked_routes.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::api {
namespace {

using config::RuleStage;
using http::HttpMethod;
using ::testing::HasSubstr;
using Arguments = std::map<std::string, std::string>;

class RuleResourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    settings_.policy.rules = {
        {.name = "QUIET", .condition = "links >= 3", .score = 9, .group = "marks", .shadow = true},
        {.name = "LOUD", .condition = "links >= 1", .score = 1},
        {.name = "KEPT", .condition = "links >= 2", .score = 1, .shadow = true, .kept = true},
        {.name = "OFF", .condition = "links >= 2", .score = 1, .enabled = false}};
    settings_.milter.actions.add_header = 4;
    settings_.milter.actions.reject = 100;
    judgements_.judged = WallTime(std::chrono::seconds(60));
    judgements_.messages = 100;
    judgements_.unreported = 50;
    judgements_.rules = {{.name = "QUIET",
                          .identity = config::identities_of(settings_.policy.rules)[0],
                          .stage = RuleStage::kProposed,
                          .figures = {.messages = 60, .reported = 12, .rescued = 0}}};
    auto table = storage::sqlite::HistoryTable::open(file_);
    ASSERT_TRUE(table);
    std::vector<storage::sqlite::HistoryRow> rows;
    const std::int64_t now = clock_.wall().time_since_epoch().count() * 1'000'000;
    for (std::uint64_t links = 0; links < 6; ++links) {
      history::MessageRecord record;
      record.features.set_number(features::Feature::kLinks, links);
      if (links >= 1) record.evidence.push_back({.symbol = "LOUD", .score = 1, .policy = true});
      record.score = links >= 1 ? 1 : 0;
      rows.push_back({.time = now - 6 + static_cast<std::int64_t>(links),
                      .queue_id = "Q" + std::to_string(links),
                      .label = links == 5 ? std::uint8_t{1} : std::uint8_t{0},
                      .details = encode_record(record),
                      .sender_name = "a@example.org"});
    }
    ASSERT_TRUE((*table)->write(rows, {}));
  }
  http::HttpReply ask(HttpMethod method, const std::string& path, const std::string& body = "",
                      Arguments arguments = {}, http::Role role = http::Role::kChange) {
    const RuleResource rules(
        {.rules = [this]() -> Result<SiteRules> {
           if (off_) return Error{ErrorCode::kUnavailable, "milter.enabled is no"};
           auto now = std::make_shared<Settings>(settings_);
           config::use_decisions(decisions_, *now);
           return SiteRules{now, policy::policy_rules(*now).rules, judgements_, decisions_};
         },
         .history = [this]() -> Result<SiteHistory> {
           auto reader = storage::sqlite::HistoryReader::open(file_);
           if (!reader) return reader.error();
           return SiteHistory{*std::move(reader), {}};
         },
         .fired = [](const std::string& rule) { return rule == "LOUD" ? 17U : 0U; },
         .decide = [this](const std::string& rule,
                          const std::optional<config::RuleDecision>& decision) -> Status {
           std::erase_if(decisions_, [&](const auto& one) { return one.name == rule; });
           if (decision) decisions_.push_back(*decision);
           return {};
         }},
        clock_);
    return testing::ask(rules.routes(), method, "/api/1" + path, body, std::move(arguments), role);
  }
  Json get(const std::string& path) {
    const auto reply = ask(HttpMethod::kGet, path);
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return Json::parse(reply.body);
  }
  Json post(const std::string& path, const std::string& body = "", Arguments arguments = {}) {
    const auto reply = ask(HttpMethod::kPost, path, body, std::move(arguments));
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return Json::parse(reply.body);
  }

  shingled::testing::TemporaryDirectory folder_;
  std::string file_ = folder_.file("history.db");
  shingled::testing::ManualClock clock_;
  Settings settings_;
  config::Judgements judgements_;
  config::RuleDecisions decisions_;
  bool off_ = false;
};

TEST_F(RuleResourceTest, ListsRulesWithTheirFigures) {
  const Json page = get("/rules");
  EXPECT_EQ(page["looked_at"]["messages"], 6);
  const Json& quiet = page["rules"][0];
  EXPECT_EQ(quiet["shadow"], true);
  EXPECT_EQ(quiet["state"], "proposed");
  EXPECT_THAT(quiet["proposal"].get<std::string>(), HasSubstr("60 messages"));
  EXPECT_TRUE(quiet["s_o"].is_null());
  const Json& loud = page["rules"][1];
  EXPECT_EQ(loud["live"], true);
  EXPECT_EQ(loud["fired"], 17);
  EXPECT_EQ(loud["messages"], 5);
  EXPECT_EQ(loud["spam"], 1);
  EXPECT_EQ(loud["ham"], 4);
  EXPECT_EQ(page["rules"][2]["kept"], true);
  EXPECT_EQ(page["rules"][3]["enabled"], false);
  EXPECT_EQ(get("/rules/QUIET")["judgement"]["reported"], 12);
  EXPECT_TRUE(get("/rules/LOUD")["judgement"].is_null());
  EXPECT_EQ(ask(HttpMethod::kGet, "/rules/NOBODY").status, 404U);
}

TEST_F(RuleResourceTest, SaysWhyThereAreNone) {
  off_ = true;
  const Json page = get("/rules");
  EXPECT_EQ(page["off"], "milter.enabled is no");
  EXPECT_TRUE(page["rules"].empty());
  EXPECT_EQ(ask(HttpMethod::kGet, "/rules/QUIET").status, 503U);
}

TEST_F(RuleResourceTest, DecidesAndSaysHowToUndoIt) {
  const Json live = post("/rules/QUIET/live");
  EXPECT_EQ(live["live"], true);
  EXPECT_EQ(live["decision"]["to"], "live");
  EXPECT_TRUE(live["proposal"].is_null()) << "somebody has decided";
  EXPECT_EQ(live["undo"],
            Json::parse(R"({"method":"DELETE","path":"/api/1/rules/QUIET/decision"})"));
  const Json shadow = post("/rules/QUIET/shadow");
  EXPECT_EQ(shadow["state"], "kept");
  EXPECT_EQ(shadow["undo"]["path"], "/api/1/rules/QUIET/live");
  EXPECT_EQ(ask(HttpMethod::kDelete, "/rules/QUIET/decision").status, 200U);
  EXPECT_TRUE(decisions_.empty());
  EXPECT_EQ(ask(HttpMethod::kPost, "/rules/KEPT/live").status, 409U);
  EXPECT_EQ(ask(HttpMethod::kPost, "/rules/OFF/live").status, 409U);
  EXPECT_EQ(ask(HttpMethod::kPost, "/rules/NOBODY/live").status, 404U);
  EXPECT_EQ(ask(HttpMethod::kPost, "/rules/QUIET/live", "", {}, http::Role::kRead).status, 403U);
}

TEST_F(RuleResourceTest, TriesADecisionFirst) {
  const Json tried = post("/rules/QUIET/live", "", {{"try", "yes"}});
  EXPECT_EQ(tried["would_change"], 3);
  EXPECT_EQ(tried["hits"]["all"], 3);
  EXPECT_EQ(tried["examples"][0]["queue_id"], "Q5");
  EXPECT_EQ(tried["examples"][0]["sender"], "a@example.org");
  EXPECT_EQ(tried["examples"][0]["label"], "spam");
  EXPECT_TRUE(decisions_.empty());
  EXPECT_EQ(post("/rules/LOUD/shadow", "", {{"try", "yes"}})["would_change"], 0);
}

TEST_F(RuleResourceTest, TriesARuleThatIsNotThere) {
  const Json tried = post("/rules/try", R"({"name":"NEW","if":"links >= 5","action":"reject"})");
  EXPECT_EQ(tried["changes"], Json::parse(R"([{"from":"pass","to":"reject","count":1}])"));
  EXPECT_EQ(tried["s_o"], 1);
  const auto wrong = ask(HttpMethod::kPost, "/rules/try", R"({"if":"linkz >= 5","score":1})");
  EXPECT_EQ(wrong.status, 400U);
  EXPECT_EQ(wrong.type, "application/problem+json");
  EXPECT_EQ(Json::parse(wrong.body)["mistakes"][0]["hint"], "links");
  EXPECT_EQ(ask(HttpMethod::kPost, "/rules/try", R"({"if":"links >= 5"})").status, 400U)
      << "neither a score nor an action";
  EXPECT_EQ(ask(HttpMethod::kPost, "/rules/try", R"({"if":"links >= 5","score":1,"since":"soon"})")
                .status,
            400U);
}

TEST_F(RuleResourceTest, ChecksWithThePlaceOfAMistake) {
  struct Case {
    const char* why;
    const char* body;
    const char* part;
    int column;
    int length;
  };
  for (const Case& c :
       {Case{"an operator of another language", R"({"if":"links => 3"})", "condition", 7, 2},
        Case{"an end that is missing", R"({"if":"links >"})", "condition", 8, 0},
        Case{"characters, not bytes", R"({"if":"subject = \"äö\" and linkz > 3"})", "condition", 20,
             5},
        Case{"a name that is not one", R"({"name":"a b","if":"links > 3"})", "name", 1, 0}}) {
    SCOPED_TRACE(c.why);
    const Json answer = post("/rules/check", c.body);
    EXPECT_EQ(answer["ok"], false);
    const Json& mistakes = answer["mistakes"];
    ASSERT_FALSE(mistakes.empty());
    EXPECT_EQ(mistakes[0]["part"], c.part) << answer;
    EXPECT_EQ(mistakes[0]["column"], c.column) << answer;
    EXPECT_EQ(mistakes[0]["length"], c.length) << answer;
    EXPECT_FALSE(mistakes[0]["text"].get<std::string>().empty());
  }
  EXPECT_EQ(post("/rules/check", R"({"name":"QUIET","if":"LOUD and links > 3"})"),
            Json::parse(R"({"ok":true,"mistakes":[]})"))
      << "a rule that is there is replaced, others may be named";
  EXPECT_EQ(post("/rules/check", R"({"name":"LOUD","if":"LOUD"})")["ok"], false) << "a circle";
}

TEST(RuleRequest, RefusesWhatIsNotARule) {
  for (const char* body : {"", "[]", R"({"when":"x"})", R"({"if":3})", R"({"if":"x","score":"y"})",
                           R"({"if":"x","action":"explode"})", R"({"if":"x","name":["y"]})"})
    EXPECT_FALSE(parse_rule_request(body, true)) << body;
  const auto rule = parse_rule_request(R"({"if":"x","action":"accept","score":null})", false);
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->rule.action, PolicyAction::kAccept);
  EXPECT_EQ(rule->rule.name, kUnnamed);
}

TEST_F(RuleResourceTest, ShowsWhatTheCommandShows) {
  const Json status = get("/policy");
  EXPECT_EQ(status["rules"][0]["accept"], "policy.live: [marks, QUIET]");
  EXPECT_EQ(status["rules"][0]["messages"], 60);
  EXPECT_EQ(status["rules"][1]["state"], "live");
  EXPECT_EQ(status["unreported"], 50);
  EXPECT_EQ(view::time_text(WallTime(std::chrono::seconds(60))),
            status["judged"].get<std::string>());
}

}  // namespace
}  // namespace shingled::milter::api
