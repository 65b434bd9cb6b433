// Covers milter/api/messages/message_hashes.cpp: the stored hashes that match a message, and who
// taught them.
#include "milter/api/messages/message_hashes.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
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
using ::testing::HasSubstr;

class MessageHashesTest : public reports::Desk {
 protected:
  void SetUp() override {
    settings.reports.trusted_reporters = {"postmaster"};
    reports::Desk::SetUp();
    auto table = storage::sqlite::HistoryTable::open(directory.file("history.db"));
    ASSERT_TRUE(table) << table.error().message;
    Judged judged;
    std::vector<storage::sqlite::HistoryRow> rows;
    const auto add = [&](const char* queue_id) {
      judged.queue_id = queue_id;
      rows.push_back(
          row_of(judged.message(), reports::kTestSite, static_cast<std::int64_t>(rows.size()) + 1));
    };
    judged.kept = kept();
    add("KEPT");
    judged.kept = {reports::kKeptCodeVersion};
    add("BROKEN");
    judged.kept.clear();
    add("OLD");
    ASSERT_TRUE((*table)->write(rows, {}));
  }
  [[nodiscard]] Bytes kept() const {
    const std::string bytes = reports::mail(1);
    judge::ViewPlan plan(settings);
    const auto rules = reports::taught_rules(settings, plan);
    plan.add_counted();
    judge::MessageView view(bytes, plan);
    view.hash(judge::MessageView::Want::kPieces);
    const auto pieces = view.pieces({}).pieces;
    const auto keys =
        counters::keys_of(reports::kTestSite, storage::counters::Direction::kIn, pieces);
    return reports::encode_kept(
        reports::kept_message(view, pieces, keys, {}, reports::kTestSite, rules),
        reports::kTestSite);
  }
  http::HttpReply ask(const std::string& id, http::Role role = http::Role::kRead) {
    const MessageHashes hashes(
        [this]() -> Result<SiteHistory> {
          auto reader = storage::sqlite::HistoryReader::open(directory.file("history.db"));
          if (!reader) return reader.error();
          return SiteHistory{*std::move(reader), reports::kTestSite};
        },
        [this](const Fingerprint& fingerprint, std::size_t most) {
          return store.check_all(fingerprint, unix_seconds(clock.wall()), most);
        },
        *desk);
    return testing::ask(hashes.routes(), http::HttpMethod::kGet,
                        "/api/1/messages/" + id + "/hashes", "", {}, role);
  }
};

TEST_F(MessageHashesTest, NothingMatchesBeforeAReport) {
  const Json page = Json::parse(ask("KEPT").body);
  ASSERT_FALSE(page["hashes"].empty());
  for (const Json& hash : page["hashes"]) EXPECT_TRUE(hash["matches"].empty()) << hash;
  EXPECT_FALSE(page.contains("off"));
}

TEST_F(MessageHashesTest, NamesTheStoredHashAndWhoTaughtIt) {
  ASSERT_TRUE(desk->take({reports::ReportKind::kSpam, "postmaster", reports::mail(1)}));
  const Json page = Json::parse(ask("KEPT").body);
  const Json& match = page["hashes"].at(0)["matches"].at(0);
  EXPECT_EQ(match["exact"], true);
  EXPECT_EQ(match["digest"], page["hashes"][0]["digest"]);
  EXPECT_GT(match["flags"].at(0)["value"], 0);
  EXPECT_EQ(match["case"]["spam"], 1);
  EXPECT_THAT(match["case"]["people"].at(0)["name"].get<std::string>(), HasSubstr("postmaster"));
}

TEST_F(MessageHashesTest, SaysWhyNothingIsKnown) {
  const Json page = Json::parse(ask("OLD").body);
  EXPECT_TRUE(page["hashes"].empty());
  EXPECT_THAT(page["off"].get<std::string>(), HasSubstr("history.act_for"));
  EXPECT_EQ(ask("BROKEN").status, 500U);
  EXPECT_EQ(ask("NOBODY").status, 404U);
  EXPECT_EQ(ask("KEPT", http::Role::kMetrics).status, 403U);
}

}  // namespace
}  // namespace shingled::milter::api
