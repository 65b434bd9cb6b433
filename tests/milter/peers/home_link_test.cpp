// Covers milter/peers/home_link.cpp and milter/peers/home_client.cpp.
#include "milter/peers/home_link.h"

#include <gtest/gtest.h>

#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "milter/api/reply.h"
#include "milter/http/http_server.h"
#include "milter/reports/reported_message.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::peers {
namespace {

using reports::ReportKind;

constexpr CounterKeyBytes kSite{5};
const std::string kMail = "From: a@example.org\r\nSubject: Offer\r\n\r\nBuy now.\r\n";

/// A home that does what a test says, and remembers what it was asked.
class HomeLinkTest : public ::testing::Test {
 protected:
  HomeLinkTest() {
    http::HttpServerOptions options;
    options.listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 0, ""}};
    options.access.local = http::Role::kChange;
    options.body_bytes_max = 65536;
    auto server = http::HttpServer::start(
        options, [this](const http::HttpRequest& request) { return answer(request); }, clock_,
        random_);
    if (!server) throw std::runtime_error(server.error().message);
    server_ = *std::move(server);
    options_.file = folder_.file("reports.db");
    options_.domain = "example.org";
    options_.home = "http://" + server_->addresses().front();
    start();
  }
  void start() {
    link_.reset();
    HomeLink::Setup setup;
    setup.label = [this](std::uint64_t message, std::optional<ReportKind> label) {
      labels_.emplace_back(message, label);
    };
    setup.withdraw = [this](const Digest& digest, std::uint32_t flag) {
      withdrawn_.emplace_back(digest, flag);
    };
    setup.site = [] { return std::optional(kSite); };
    auto link = HomeLink::start_without_thread(options_, setup, clock_, logger_);
    ASSERT_TRUE(link) << link.error().message;
    link_ = *std::move(link);
  }
  http::HttpReply answer(const http::HttpRequest& request) {
    const std::lock_guard lock(mutex_);
    if (request.path == "/api/1/reports/changes") {
      cursors_.push_back(request.arguments.at("cursor"));
      return changes_.is_null() ? api::problem({ErrorCode::kNotFound, "no such path"})
                                : api::json_reply(changes_);
    }
    if (reply_) return *reply_;
    taken_.push_back(request.arguments.at("kind") + " " + request.arguments.at("reporter"));
    bodies_.push_back(request.body);
    return api::json_reply({{"what", "new"}, {"hashes", 1}, {"changed", 0}, {"counted", true}});
  }
  void home_says(std::optional<http::HttpReply> reply) {
    const std::lock_guard lock(mutex_);
    reply_ = std::move(reply);
  }
  Json say(ReportKind kind, const std::string& who, unsigned status = 200) {
    const auto reply = link_->take({kind, who, kMail});
    EXPECT_EQ(reply.status, status) << reply.body;
    return Json::parse(reply.body);
  }
  /// Works until nothing waits any more or `rounds` are over.
  void work(int rounds = 1) {
    for (int i = 0; i < rounds; ++i) link_->work({});
  }
  [[nodiscard]] double figure(const char* name) const {
    MetricReport report;
    link_->report(report);
    return report.total(name);
  }
  void spoil(const std::string& name, const std::string& text) const {
    std::ofstream(options_.file + ".spool/" + name) << text;
  }

  SystemClock clock_;
  SystemRandom random_;
  NullLogger logger_;
  testing::TemporaryDirectory folder_;
  std::mutex mutex_;
  std::optional<http::HttpReply> reply_;
  Json changes_;
  std::vector<std::string> taken_;
  std::vector<std::string> bodies_;
  std::vector<std::string> cursors_;
  std::vector<std::pair<std::uint64_t, std::optional<ReportKind>>> labels_;
  std::vector<std::pair<Digest, std::uint32_t>> withdrawn_;
  ReportOptions options_;
  std::unique_ptr<http::HttpServer> server_;
  std::unique_ptr<HomeLink> link_;
};

using Names = std::vector<std::string>;

TEST_F(HomeLinkTest, GivesTheAnswerOfTheHome) {
  EXPECT_EQ(say(ReportKind::kSpam, "Ann+x")["what"], "new");
  EXPECT_EQ(taken_, Names{"spam ann@example.org"}) << "a bare name belongs to where it was said";
  EXPECT_EQ(bodies_, Names{kMail});
  EXPECT_EQ(figure("shingled_reports_forwarded"), 1);
  home_says(api::problem({ErrorCode::kInvalid, "no message: no header"}));
  EXPECT_EQ(say(ReportKind::kSpam, "bob", 400)["detail"], "no message: no header");
  home_says(api::problem(429, "too many"));
  EXPECT_EQ(say(ReportKind::kSpam, "bob", 429)["detail"], "too many");
  EXPECT_EQ(figure("shingled_reports_forward_waiting"), 0);
}

TEST_F(HomeLinkTest, RefusesItselfWhatNoDaemonTakes) {
  say(ReportKind::kSpam, std::string(20'000, 'x'), 400);
  EXPECT_EQ(link_->take({ReportKind::kSpam, "ann", "no mail at all"}).status, 400U);
  EXPECT_TRUE(taken_.empty());
}

TEST_F(HomeLinkTest, KeepsReportsInTheirOrderUntilTheHomeTakesThem) {
  home_says(api::problem({ErrorCode::kUnavailable, "it starts"}));
  EXPECT_EQ(say(ReportKind::kSpam, "ann")["what"], "waiting");
  EXPECT_EQ(say(ReportKind::kHam, "ann")["what"], "waiting");
  start();  // also over a restart
  EXPECT_EQ(figure("shingled_reports_forward_waiting"), 2);
  EXPECT_EQ(say(ReportKind::kSpam, "ann")["what"], "waiting");
  home_says(std::nullopt);
  EXPECT_EQ(say(ReportKind::kHam, "bob")["what"], "waiting") << "not before those that wait";
  work();
  EXPECT_EQ(taken_, (Names{"spam ann@example.org", "ham ann@example.org", "spam ann@example.org",
                           "ham bob@example.org"}));
  EXPECT_EQ(figure("shingled_reports_forward_waiting"), 0);
  EXPECT_EQ(figure("shingled_reports_forwarded"), 4);
  EXPECT_EQ(say(ReportKind::kSpam, "carl")["what"], "new");
}

TEST_F(HomeLinkTest, WhatAnswersButIsNoDaemonHasNotTakenIt) {
  struct Case {
    const char* why;
    http::HttpReply reply;
  };
  for (const Case& test : {
           Case{"a page of a web server", {200, "text/html", "<h1>It works</h1>"}},
           Case{"JSON of another service", {200, "application/json", "{\"what\":\"ever\"}"}},
           Case{"a web server that knows no such path", {400, "text/html", "<h1>Bad</h1>"}},
           Case{"another version", {404, "application/json", "{}"}},
           Case{"a key that it does not know", {403, "application/problem+json", "{}"}},
           Case{"a daemon that has another home",
                {421, "application/problem+json", "{\"status\":421,\"detail\":\"not home\"}"}},
       }) {
    home_says(test.reply);
    EXPECT_EQ(say(ReportKind::kSpam, "ann")["what"], "waiting") << test.why;
  }
  work();
  EXPECT_EQ(figure("shingled_reports_forward_waiting"), 6);
  EXPECT_EQ(figure("shingled_reports_set_aside"), 0) << "nobody refused these very reports";
}

TEST_F(HomeLinkTest, OneThatIsNeverTakenHoldsNothingBack) {
  home_says(api::problem({ErrorCode::kUnavailable, "it starts"}));
  say(ReportKind::kSpam, "ann");
  spoil("0000000000000001-9-000000.report",
        "{\"kind\":\"spam\",\"reporter\":\"" + std::string(20'000, 'x') + "\"}\n" + kMail);
  spoil("0000000000000002-9-000000.report", "no report\n");
  spoil("0000000000000003-9-000000.report", std::string("{\"kind\":\"spam\"}\0\n", 17));
  home_says(std::nullopt);
  work();
  EXPECT_EQ(taken_, Names{"spam ann@example.org"});
  EXPECT_EQ(figure("shingled_reports_set_aside"), 3);
  EXPECT_EQ(figure("shingled_reports_forward_waiting"), 0);
}

TEST_F(HomeLinkTest, FollowsTheFeedOnceAndOverARestart) {
  const std::string digest(128, 'a');
  changes_ = {{"site", to_hex(Bytes(8, 0))},
              {"changes",
               Json::array({{{"what", "label"}, {"message", "00000000000000ff"}, {"label", "spam"}},
                            {{"what", "label"}, {"message", "0000000000000001"}, {"label", "none"}},
                            {{"what", "withdrawn"}, {"digest", digest}, {"flag", 3}},
                            {{"what", "closed"}, {"digest", digest}, {"flag", 3}},
                            {{"what", "something newer"}},
                            7})},
              {"next", "4-0000000000000009"},
              {"anew", false},
              {"more", false}};
  work();
  ASSERT_EQ(labels_.size(), 2U);
  EXPECT_EQ(labels_[0].first, 0xffU);
  EXPECT_EQ(labels_[0].second, ReportKind::kSpam);
  EXPECT_EQ(labels_[1].second, std::nullopt);
  ASSERT_EQ(withdrawn_.size(), 1U);
  EXPECT_EQ(withdrawn_[0].second, 3U);
  changes_["changes"] = Json::array();
  start();
  work();
  EXPECT_EQ(cursors_, (Names{"", "4-0000000000000009"}));
  EXPECT_EQ(labels_.size(), 2U);
}

TEST_F(HomeLinkTest, TakesNoNamesThatWereMadeWithAnotherKey) {
  const auto page = [&](std::uint64_t site) {
    Bytes bytes;
    for (int shift = 56; shift >= 0; shift -= 8)
      bytes.push_back(static_cast<std::uint8_t>(site >> static_cast<unsigned>(shift)));
    changes_ = {
        {"site", to_hex(bytes)},
        {"changes",
         Json::array({{{"what", "label"}, {"message", "00000000000000ff"}, {"label", "ham"}}})},
        {"next", "1-0000000000000009"}};
  };
  page(1234);
  work();
  EXPECT_TRUE(labels_.empty());
  page(reports::site_id(kSite));
  start();
  work();
  EXPECT_EQ(labels_.size(), 1U);
  EXPECT_EQ(cursors_.back(), "") << "what was not taken is read again";
}

}  // namespace
}  // namespace shingled::milter::peers
