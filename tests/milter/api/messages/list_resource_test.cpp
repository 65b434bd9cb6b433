// Covers milter/api/messages/list_resource.cpp, milter/replay/past_entry.cpp.
#include "milter/api/messages/list_resource.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/milter/api/asked_routes.h"
#include "tests/milter/history/judged.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::api {
namespace {

using history::testing::kSite;
using http::HttpMethod;
using ::testing::HasSubstr;
using Arguments = std::map<std::string, std::string>;

class ListResourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    settings.policy.allow_file = directory.file("allow.list");
    settings.policy.block_file = directory.file("block.list");
  }
  http::HttpReply ask(HttpMethod method, const std::string& list, Arguments arguments = {},
                      http::Role role = http::Role::kChange) {
    const ListResource lists(
        [this] { return std::make_shared<const Settings>(settings); },
        [this]() -> Result<SiteHistory> {
          auto reader = storage::sqlite::HistoryReader::open(directory.file("history.db"));
          if (!reader) return reader.error();
          return SiteHistory{*std::move(reader), kSite};
        },
        clock);
    return testing::ask(lists.routes(), method, "/api/1/lists/" + list, "", std::move(arguments),
                        role);
  }
  Json answer(HttpMethod method, const std::string& list, Arguments arguments = {}) {
    const auto reply = ask(method, list, std::move(arguments));
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return Json::parse(reply.body);
  }
  Json effect(const std::string& list, const std::string& entry) {
    return answer(HttpMethod::kPost, list, {{"entry", entry}, {"try", "yes"}});
  }
  /// A history with a message of each action.
  void remember(std::vector<mime::Piece> pieces, const std::string& recipient = "bob@example.net") {
    auto table = storage::sqlite::HistoryTable::open(directory.file("history.db"));
    ASSERT_TRUE(table) << table.error().message;
    std::vector<storage::sqlite::HistoryRow> rows;
    for (const auto action :
         {rules::Action::kPass, rules::Action::kAddHeader, rules::Action::kReject}) {
      history::testing::Judged judged;
      judged.names = HistoryNames::kEnvelope;
      judged.sender = "<news@shop.example>";
      judged.recipients = {"<" + recipient + ">"};
      judged.verdict.action = action;
      judged.facts.counters.needs = std::make_shared<const features::CounterNeeds>(
          features::CounterNeeds{{PieceType::kFrom, {*storage::counters::parse_window("1d")}}});
      for (const mime::Piece& piece : pieces)
        judged.facts.counters.pieces.push_back({.piece = piece, .known = false});
      const auto time =
          std::chrono::duration_cast<std::chrono::microseconds>(clock.wall().time_since_epoch());
      rows.push_back(
          history::row_of(judged.message(), kSite, time.count() - 10 + std::ssize(rows)));
    }
    ASSERT_TRUE((*table)->write(rows, {}));
  }

  shingled::testing::TemporaryDirectory directory;
  shingled::testing::ManualClock clock;
  Settings settings;
};

TEST_F(ListResourceTest, AnEntryComesAndGoes) {
  EXPECT_TRUE(answer(HttpMethod::kGet, "allow")["entries"].empty()) << "there is no file yet";
  const Json added = answer(HttpMethod::kPost, "allow",
                            {{"entry", "client 192.0.2.0/24"}, {"reason", "our office"}});
  EXPECT_EQ(added["added"], true);
  EXPECT_EQ(added["undo"]["method"], "DELETE");
  EXPECT_THAT(std::string(added["undo"]["path"]),
              ::testing::StartsWith("/api/1/lists/allow?entry=client%20192"));
  const Json again = answer(HttpMethod::kPost, "allow", {{"entry", "client 192.0.2.9/24"}});
  EXPECT_EQ(again["added"], false);
  EXPECT_EQ(again["line"], added["line"]);
  const Json list = answer(HttpMethod::kGet, "allow");
  ASSERT_EQ(list["entries"].size(), 1U);
  EXPECT_EQ(list["entries"][0]["entry"], "client 192.0.2.0/24");
  EXPECT_THAT(std::string(list["entries"][0]["remark"]), HasSubstr("our office"));
  EXPECT_TRUE(answer(HttpMethod::kGet, "block")["entries"].empty());
  const Json gone = answer(HttpMethod::kDelete, "allow", {{"entry", "client 192.0.2.0/24"}});
  EXPECT_EQ(gone["removed"], 1);
  EXPECT_THAT(std::string(gone["undo"]["path"]), ::testing::EndsWith("&reason=our%20office"))
      << "without the date";
  EXPECT_EQ(ask(HttpMethod::kDelete, "allow", {{"entry", "client 192.0.2.0/24"}}).status, 404U);
}

TEST_F(ListResourceTest, ListsPagesAndWhatIsWrong) {
  std::ofstream(settings.policy.block_file)
      << "from a@b.example # one\nfrom\nsender c@d.example # two\nclient 10.0.0.0/8\n";
  const Json first = answer(HttpMethod::kGet, "block", {{"most", "2"}});
  EXPECT_EQ(first["entries"].size(), 2U);
  EXPECT_EQ(first["next"], 4);
  EXPECT_EQ(first["wrong"][0]["line"], 2);
  EXPECT_EQ(answer(HttpMethod::kGet, "block", {{"cursor", "4"}})["entries"][0]["name"], "client");
  EXPECT_EQ(answer(HttpMethod::kGet, "block", {{"part", "TWO"}})["entries"].size(), 1U);
}

TEST_F(ListResourceTest, SaysWhichEntriesDoNotWorkYet) {
  const Json added = answer(HttpMethod::kPost, "allow", {{"entry", "from a@b.example"}});
  EXPECT_THAT(std::string(added["note"]), HasSubstr("counters.authserv_ids"));
  settings.counters.pieces.authserv_ids = {"mx.example.org"};
  EXPECT_TRUE(answer(HttpMethod::kGet, "allow")["entries"][0]["note"].is_null());
}

TEST_F(ListResourceTest, ATryTellsTheEffectAndWritesNothing) {
  remember({{PieceType::kFrom, "news@shop.example", ""},
            {PieceType::kFromDomain, "shop.example", ""},
            {PieceType::kClient, "192.0.2.7", ""},
            {PieceType::kClientNetwork, "192.0.2.0/24", ""}},
           "abuse@example.net");
  const struct {
    const char* list;
    const char* entry;
    int matched;
    int changed;
  } cases[] = {
      {"allow", "from news@shop.example", 3, 2},
      {"allow", "from other@shop.example", 0, 0},
      {"allow", "from_domain .shop.example", 3, 2},
      {"allow", "client 192.0.2.7", 3, 2},
      {"allow", "client 192.0.2.0/24", 3, 2},
      {"allow", "client 192.0.3.0/24", 0, 0},
      {"allow", "recipient abuse@", 3, 1},
      {"block", "from news@shop.example", 3, 2},
      {"block", "sender_domain .shop.example", 3, 2},
      {"block", "sender x@shop.example", 0, 0},
  };
  for (const auto& c : cases) {
    const Json found = effect(c.list, c.entry);
    EXPECT_EQ(found["matched"], c.matched) << c.list << " " << c.entry;
    EXPECT_EQ(found["would_change"], c.changed) << c.list << " " << c.entry;
    EXPECT_EQ(found["messages"], 3);
    EXPECT_FALSE(found.contains("off"));
  }
  EXPECT_THAT(std::string(effect("allow", "client 192.0.0.0/16")["off"]),
              HasSubstr("not this entry"));
  EXPECT_TRUE(answer(HttpMethod::kGet, "allow")["entries"].empty());
}

TEST_F(ListResourceTest, WithoutCountersOrHistoryNothingIsKnown) {
  EXPECT_TRUE(effect("allow", "client 192.0.2.7")["off"].is_string());
}

TEST_F(ListResourceTest, SaysWhatIsWrong) {
  const struct {
    const char* why;
    HttpMethod method;
    Arguments arguments;
    http::Role role;
    unsigned status;
    const char* detail;
  } cases[] = {
      {"nothing", HttpMethod::kPost, {}, http::Role::kChange, 400, "entry: is missing"},
      {"no name",
       HttpMethod::kPost,
       {{"entry", "a@b.example"}},
       http::Role::kChange,
       400,
       "entry: an entry begins with"},
      {"two lines",
       HttpMethod::kPost,
       {{"entry", "client 10.0.0.1"}, {"reason", "a\nfrom b@c.example"}},
       http::Role::kChange,
       400,
       "reason: at most 160 bytes in one line"},
      {"reader",
       HttpMethod::kPost,
       {{"entry", "client 10.0.0.1"}},
       http::Role::kRead,
       403,
       "needs the role 'change'"},
  };
  for (const auto& c : cases) {
    const auto reply = ask(c.method, "allow", c.arguments, c.role);
    EXPECT_EQ(reply.status, c.status) << c.why;
    EXPECT_THAT(reply.body, HasSubstr(c.detail)) << c.why;
  }
  settings.policy.allow_file.clear();
  EXPECT_EQ(ask(HttpMethod::kPost, "allow", {{"entry", "client 10.0.0.1"}}).status, 503U);
  EXPECT_THAT(std::string(answer(HttpMethod::kGet, "allow")["off"]),
              HasSubstr("policy.allow_file"));
}

}  // namespace
}  // namespace shingled::milter::api
