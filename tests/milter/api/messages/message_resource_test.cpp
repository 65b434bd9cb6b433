// Covers milter/api/messages/message_resource.cpp: which messages are found, and reports of them.
#include "milter/api/messages/message_resource.h"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "milter/counters/counted_keys.h"
#include "milter/reports/kept_code.h"
#include "tests/milter/api/asked_routes.h"
#include "tests/milter/history/judged.h"
#include "tests/milter/reports/desk.h"

namespace shingled::milter::api {
namespace {

using history::testing::Judged;
using history::testing::kSite;
using http::HttpMethod;
using reports::ReportKind;
using ::testing::HasSubstr;
using Arguments = std::map<std::string, std::string>;

class MessageResourceTest : public reports::Desk {
 protected:
  void SetUp() override {
    settings.reports.trusted_reporters = {"postmaster"};
    reports::Desk::SetUp();
    auto table = storage::sqlite::HistoryTable::open(file());
    ASSERT_TRUE(table) << table.error().message;
    Judged judged;
    judged.names = HistoryNames::kSubject;
    judged.recipients = {"<bob@example.net>"};
    judged.subject = "Offer";
    std::vector<storage::sqlite::HistoryRow> rows;
    const auto add = [&](const char* queue_id) {
      judged.queue_id = queue_id;
      rows.push_back(
          row_of(judged.message(), reports::kTestSite, static_cast<std::int64_t>(rows.size()) + 1));
    };
    judged.kept = kept(reports::kTestSite);
    add("KEPT");
    judged.kept = kept(kSite);
    add("OTHERKEY");
    judged.kept = {reports::kKeptCodeVersion};
    add("BROKEN");
    judged.kept.clear();
    judged.verdict.action = rules::Action::kReject;
    add("OLD");
    add("TWICE");
    add("TWICE");
    ASSERT_TRUE((*table)->write(rows, {}));
  }
  [[nodiscard]] std::string file() const { return directory.file("history.db"); }
  [[nodiscard]] Bytes kept(const CounterKeyBytes& site) const {
    const std::string bytes = reports::mail(1);
    judge::ViewPlan plan(settings);
    const auto rules = reports::taught_rules(settings, plan);
    plan.add_counted();
    judge::MessageView view(bytes, plan);
    view.hash(judge::MessageView::Want::kPieces);
    const auto pieces = view.pieces({}).pieces;
    const auto keys = counters::keys_of(site, storage::counters::Direction::kIn, pieces);
    return reports::encode_kept(reports::kept_message(view, pieces, keys, {}, site, rules), site);
  }
  http::HttpReply ask(HttpMethod method, const std::string& path, Arguments arguments = {},
                      http::Role role = http::Role::kChange) {
    const MessageResource messages(
        [this]() -> Result<SiteHistory> {
          auto reader = storage::sqlite::HistoryReader::open(file());
          if (!reader) return reader.error();
          return SiteHistory{*std::move(reader), reports::kTestSite};
        },
        *desk, clock);
    return testing::ask(messages.routes(), method, "/api/1/messages" + path, "",
                        std::move(arguments), role);
  }
  std::vector<std::string> listed(Arguments arguments) {
    const auto reply = ask(HttpMethod::kGet, "", std::move(arguments));
    EXPECT_EQ(reply.status, 200U) << reply.body;
    page_ = Json::parse(reply.body);
    std::vector<std::string> out;
    for (const Json& message : page_["messages"]) out.push_back(message["id"]);
    return out;
  }
  http::HttpReply report(const std::string& id, const std::string& kind = "spam") {
    return ask(HttpMethod::kPost, "/" + id + "/report",
               {{"kind", kind}, {"reporter", "postmaster"}}, http::Role::kReport);
  }

  Json page_;
};

using Ids = std::vector<std::string>;

TEST_F(MessageResourceTest, ListsPages) {
  EXPECT_EQ(listed({{"most", "2"}}), (Ids{"TWICE@6", "TWICE@5"}));
  EXPECT_EQ(page_["next"], 5);
  EXPECT_EQ(listed({{"most", "10"}, {"cursor", "5"}}),
            (Ids{"OLD@4", "BROKEN@3", "OTHERKEY@2", "KEPT@1"}));
  EXPECT_TRUE(page_["next"].is_null());
  EXPECT_EQ(page_["messages"][3]["recipients"], Json({"bob@example.net"}));
  EXPECT_EQ(listed({{"id", "OLD"}, {"action", "reject"}, {"sender", "a@example.org"}}),
            Ids{"OLD@4"});
  EXPECT_EQ(listed({{"id", "OLD"}, {"sender", "A@exam"}}), Ids{"OLD@4"}) << "a part";
  EXPECT_EQ(listed({{"id", "OLD"}, {"sender", "b@exam"}}), Ids{});
  EXPECT_EQ(listed({{"recipient", "nobody"}}), Ids{});
  EXPECT_EQ(listed({{"since", "2000-01-01"}}), Ids{});
}

TEST_F(MessageResourceTest, ShowsAllThatHadAName) {
  const auto named = [&](const char* id) {
    const Json page = Json::parse(ask(HttpMethod::kGet, "/named", {{"id", id}}).body);
    EXPECT_EQ(page["broken"], 0);
    Ids out;
    for (const Json& message : page["messages"]) {
      EXPECT_TRUE(message.contains("windows"));
      out.push_back(message["id"]);
    }
    return out;
  };
  EXPECT_EQ(named("TWICE"), (Ids{"TWICE@6", "TWICE@5"}));
  EXPECT_EQ(named("TWICE@5"), Ids{"TWICE@5"});
  EXPECT_EQ(named("NOBODY"), Ids{});
  EXPECT_EQ(ask(HttpMethod::kGet, "/named").status, 400U);
}

TEST_F(MessageResourceTest, ShowsOneMessage) {
  const Json one = Json::parse(ask(HttpMethod::kGet, "/KEPT").body);
  EXPECT_EQ(one["id"], "KEPT@1");
  EXPECT_EQ(one["can_report"], true);
  EXPECT_TRUE(one.contains("features"));
  EXPECT_EQ(Json::parse(ask(HttpMethod::kGet, "/TWICE@5").body)["id"], "TWICE@5");
}

TEST_F(MessageResourceTest, AReportHasTheEffectOfTheMessageItself) {
  const auto reply = report("KEPT");
  ASSERT_EQ(reply.status, 200U) << reply.body;
  const Json receipt = Json::parse(reply.body);
  EXPECT_EQ(receipt["what"], "new");
  EXPECT_EQ(receipt["counted"], true);
  EXPECT_GT(receipt["changed"], 0);
  EXPECT_GT(weight(reports::mail(1)), 0);
  ASSERT_EQ(labels.size(), 1U);
  EXPECT_EQ(labels[0].second, ReportKind::kSpam);
  EXPECT_EQ(Json::parse(report("KEPT@1", "ham").body)["what"], "turned");
  EXPECT_EQ(weight(reports::mail(1)), 0);
}

TEST_F(MessageResourceTest, SaysWhyAMessageCannotBeReported) {
  const struct {
    const char* why;
    const char* id;
    unsigned status;
    const char* detail;
  } cases[] = {
      {"unknown", "NOBODY", 404, "the history has no message with this queue id"},
      {"another time", "KEPT@2", 404, "the history has no message"},
      {"several", "TWICE", 409, "2 messages had this queue id; name one of them: TWICE@6 (1970"},
      {"nothing is kept", "OLD", 409, "it is older than history.act_for"},
      {"another key", "OTHERKEY", 409, "under another key"},
      {"broken", "BROKEN", 500, "is broken"},
  };
  for (const auto& c : cases) {
    const auto reply = report(c.id);
    EXPECT_EQ(reply.status, c.status) << c.why;
    EXPECT_THAT(reply.body, HasSubstr(c.detail)) << c.why;
  }
  EXPECT_EQ(ask(HttpMethod::kGet, "/TWICE").status, 409U);
  EXPECT_EQ(ask(HttpMethod::kGet, "/NOBODY").status, 404U);
}

TEST_F(MessageResourceTest, ChecksWhoAsksAndWhat) {
  const Arguments good = {{"kind", "spam"}, {"reporter", "ann"}};
  EXPECT_EQ(ask(HttpMethod::kPost, "/KEPT/report", good, http::Role::kRead).status, 403U);
  EXPECT_EQ(ask(HttpMethod::kGet, "", {}, http::Role::kReport).status, 403U);
  EXPECT_EQ(ask(HttpMethod::kGet, "/KEPT", {}, http::Role::kRead).status, 200U);
  EXPECT_EQ(ask(HttpMethod::kPost, "/KEPT/report", {{"kind", "spam"}}).status, 400U);
  EXPECT_EQ(ask(HttpMethod::kPost, "/KEPT/report", {{"kind", "x"}, {"reporter", "ann"}}).status,
            400U);
  const Arguments wrong[] = {{{"since", "soon"}}, {{"digest", "12"}}, {{"action", "eat"}},
                             {{"most", "0"}},     {{"cursor", "-1"}}, {{"colour", "red"}}};
  for (const Arguments& arguments : wrong) {
    EXPECT_EQ(ask(HttpMethod::kGet, "", arguments).status, 400U) << arguments.begin()->first;
  }
}

}  // namespace
}  // namespace shingled::milter::api
