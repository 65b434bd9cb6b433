// Covers milter/api/counters/counter_resource.cpp, milter/api/counters/counter_json.cpp.
#include "milter/api/counters/counter_resource.h"

#include <gmock/gmock.h>

#include "milter/api/counters/counter_lines.h"
#include "milter/api/counters/counter_request.h"
#include "milter/http/http_server.h"
#include "storage/counters/counter_key.h"
#include "tests/milter/api/asked_routes.h"
#include "tests/milter/api/listed_counters.h"
#include "tests/milter/http/raw_http.h"
#include "tests/support/fake_people.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::api {
namespace {

using storage::counters::Direction;
using storage::counters::Measure;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CounterResourceTest : public ::testing::Test {
 protected:
  http::HttpReply ask(const std::string& path, const std::string& body,
                      http::HttpMethod method = http::HttpMethod::kPost,
                      http::Role role = http::Role::kChange) {
    return testing::ask(counters_.routes(), method, "/api/1" + path, body, {}, role);
  }
  std::string post(const std::string& path, const std::string& body) {
    return ask(path, body).body;
  }

  testing::ManualClock clock_;
  std::shared_ptr<testing::ListedCounters> store_ = std::make_shared<testing::ListedCounters>();
  CounterResource counters_{
      [this] {
        return SiteCounters{store_, {}};
      },
      clock_,
      [](PieceType type, std::uint64_t shingle) -> std::optional<std::string> {
        if (shingle != 0xABCD) return std::nullopt;
        return "a \"name\" of " + std::string(to_string(type));
      }};
};

const std::string kPiece = R"({"type":"subject","shingle":"000000000000abcd"})";
const std::string kPieces = R"("pieces":[)" + kPiece + "]";

/// Of ann, who complained of a subject; her mailbox has the name 7.
class SaidOfPiecesTest : public CounterResourceTest {
 protected:
  void SetUp() override {
    const storage::counters::CounterKey key{0xABCD, PieceType::kSubject, Direction::kIn};
    ASSERT_TRUE(people_->say({.person = 7,
                              .message = 1,
                              .standing = storage::people::Standing::kResident,
                              .time = unix_seconds(clock_.wall()),
                              .signs = {storage::people::sign_of(key, false)}},
                             clock_.now()));
  }
  std::string ask_of(const std::string& recipients) {
    return testing::ask(said_.routes(), http::HttpMethod::kPost, "/api/1/counters/people",
                        "{" + kPieces_ + ",\"recipients\":" + recipients + "}")
        .body;
  }

  const std::string kPieces_ = R"("pieces":[{"type":"subject","shingle":"000000000000abcd"}])";
  std::shared_ptr<testing::FakePeople> people_ = std::make_shared<testing::FakePeople>();
  CounterResource said_{[this] {
                          SiteCounters out{store_, {}};
                          out.people = people_;
                          out.person = [](std::string_view address) -> std::uint64_t {
                            return address.starts_with("ann") ? 7 : 8;
                          };
                          return out;
                        },
                        clock_};
};

TEST_F(SaidOfPiecesTest, OwnWordsAreThoseOfTheRecipients) {
  const auto own = [](int count) {
    return R"("own_complaint":)" + std::to_string(count) + R"(,"own_rescue":0)";
  };
  EXPECT_THAT(ask_of(R"(["ann@example.org","ann+x@example.org"])"),
              AllOf(HasSubstr(R"("recipients":1)"), HasSubstr(own(1))));
  EXPECT_THAT(ask_of(R"(["ann@example.org","ben@example.org"])"),
              AllOf(HasSubstr(R"("recipients":2)"), HasSubstr(own(1))));
  const std::string other = ask_of(R"(["ben@example.org"])");
  EXPECT_THAT(other, HasSubstr(R"("complainers":1)"));
  EXPECT_THAT(other, Not(HasSubstr(own(1))));
}

TEST_F(SaidOfPiecesTest, RecipientsAreBoundedTexts) {
  for (const char* wrong : {"1", "[1]", "[\"\"]", "{}", "[[]]"})
    EXPECT_THAT(ask_of(wrong), HasSubstr("recipients")) << wrong;
  std::string many = "[\"a\"";
  for (std::size_t i = 0; i < kRequestedRecipientsMax; ++i) many += ",\"a\"";
  EXPECT_THAT(ask_of(many + "]"), HasSubstr("at most 1000 recipients"));
}

TEST_F(CounterResourceTest, TakeAsksFirstAndThenAdds) {
  const std::string body = "{" + kPieces + R"(,"add":{"mass":2,"spam":1},"windows":["10m","1d"]})";
  EXPECT_EQ(post("/counters/take", body),
            R"({"windows":["10m","1d"],"counters":[{"type":"subject","shingle":"000000000000abcd",)"
            R"("known":true,"sums":[{},{}]}]})"
            "\n");
  EXPECT_THAT(post("/counters/take", body),
              HasSubstr(R"("sums":[{"mass":2,"spam":1},{"mass":2,"spam":1}])"));
  EXPECT_THAT(post("/counters/ask", "{" + kPieces + "}"),
              HasSubstr(R"({"windows":["10m","1h","1d","14d"])"));
  EXPECT_THAT(post("/counters/ask", "{" + kPieces + "}"), HasSubstr(R"({"mass":4,"spam":2})"));
  EXPECT_THAT(post("/counters/ask", R"({"space":"out",)" + kPieces + "}"),
              HasSubstr(R"("sums":[{},{},{},{}])"));
}

TEST_F(CounterResourceTest, CountsDifferentSecondPieces) {
  const auto add = [&](const char* recipient) {
    return post("/counters/add",
                std::string(R"({"pieces":[{"type":"sender_recipient","piece":["a@x",")") +
                    recipient + R"("]}],"add":{"mass":1}})");
  };
  EXPECT_EQ(add("b@y"), "{\"added\":1}\n");
  add("b@y");
  add("c@z");
  EXPECT_THAT(post("/counters/ask",
                   R"({"pieces":[{"type":"unique_recipients","piece":"a@x"}],"windows":["10m"]})"),
              HasSubstr(R"("known":true,"sums":[{"mass":2,)"));
}

TEST_F(CounterResourceTest, ShowsSeriesAndTop) {
  post("/counters/add", "{" + kPieces + R"(,"add":{"mass":2}})");
  store_->now += 1;
  post("/counters/learn", R"({"additions":[{"time":600,)" + kPieces + R"(,"add":{"ham":9}}]})");
  EXPECT_EQ(post("/counters/series", "{" + kPieces + "}"),
            R"({"now":2831473,"counters":[{"type":"subject","shingle":"000000000000abcd",)"
            R"("entries":[{"unit":"10m","number":1,"ham":9},)"
            R"({"unit":"10m","number":2831472,"mass":2}]}]})"
            "\n");
  EXPECT_EQ(post("/counters/top", ""),
            R"({"counters":[{"space":"in","type":"subject","shingle":"000000000000abcd",)"
            R"("piece":"a \"name\" of subject","count":2}]})"
            "\n");
  EXPECT_THAT(post("/counters/top", R"({"rising":true,"window":"10m"})"),
              HasSubstr(R"({"counters":[]})"));
  EXPECT_THAT(post("/counters/top", R"({"rising":true,"window":"1h"})"),
              HasSubstr(R"("count":2,"before":0)"));
  EXPECT_EQ(ask("/counters/top", R"({"rising":true,"window":"14d"})").status, 400U);
}

TEST_F(CounterResourceTest, NamesTheAdditionThatIsInTheFuture) {
  const std::string rest = kPieces + R"(,"add":{"mass":1}})";
  EXPECT_EQ(post("/counters/learn",
                 R"({"additions":[{"time":600,)" + rest + R"(,{"time":99999999999,)" + rest + "]}"),
            "{\"title\":\"Bad Request\",\"status\":400,\"detail\":\"additions[1].time: is in the "
            "future\"}\n");
  EXPECT_TRUE(store_->counters.empty());
}

TEST_F(CounterResourceTest, ForgetsExportsAndImports) {
  post("/counters/add", "{" + kPieces + R"(,"add":{"mass":2}})");
  post("/counters/add", R"({"space":"out",)" + kPieces + R"(,"add":{"mass":3}})");
  const std::string lines = ask("/counters/export", "", http::HttpMethod::kGet).body;
  EXPECT_THAT(lines, HasSubstr(R"({"name":"mass_out_000000000000abcd_8_1d_19663","count":3})"));
  const auto before = store_->counters;
  EXPECT_EQ(post("/counters/forget", R"({"space":"out",)" + kPieces + "}"), "{\"forgotten\":1}\n");
  EXPECT_EQ(store_->counters.size(), 1U);
  EXPECT_EQ(post("/counters/forget", "{" + kPieces + "}"), "{\"forgotten\":2}\n");
  EXPECT_TRUE(store_->counters.empty());
  EXPECT_EQ(post("/counters/import", lines), "{\"imported\":2}\n");
  EXPECT_EQ(store_->counters, before);
  EXPECT_EQ(post("/counters/import", "x"),
            "{\"title\":\"Bad Request\",\"status\":400,\"detail\":\"line 1: must be {\\\"name\\\": "
            "a name as in an export, \\\"count\\\": a "
            "number}\"}\n");
  store_->breaks_after = 1;
  const http::HttpReply broken =
      testing::begin(counters_.routes(), http::HttpMethod::kGet, "/api/1/counters/export");
  EXPECT_FALSE(broken.more());
}

TEST_F(CounterResourceTest, Verifies) {
  EXPECT_EQ(post("/counters/verify", "{}"), "{\"ok\":true}\n");
  store_->verified = Error{ErrorCode::kCorrupt, "file 5"};
  EXPECT_EQ(post("/counters/verify", ""), "{\"ok\":false,\"error\":\"file 5\"}\n");
  store_->verified = Error{ErrorCode::kTimeout, "the server ends"};
  EXPECT_EQ(ask("/counters/verify", "").status, 503U);
}

TEST_F(CounterResourceTest, RepairsIfAskedAndSaysWhatIsLost) {
  EXPECT_EQ(post("/counters/verify", R"({"repair":false})"), "{\"ok\":true}\n");
  EXPECT_EQ(store_->repairs, 0U);
  store_->damaged.push_back({"5.counts.damaged", 0.1, 20'000, 20'001, true});
  EXPECT_EQ(post("/counters/verify", R"({"repair":true})"),
            "{\"ok\":true,\"lost_files\":1,\"unknown_until\":\"2024-10-20\"}\n");
  EXPECT_EQ(store_->repairs, 1U);
}

TEST_F(CounterResourceTest, AnExportWithAnotherKeyIsRefused) {
  constexpr CounterKeyBytes kKey{};
  const std::string line = R"({"name":"mass_in_000000000000abcd_8_1d_19663","count":4})";
  std::string ours;
  append_mark_line(storage::counters::key_mark(kKey), ours);
  std::string other;
  append_mark_line(storage::counters::key_mark(kKey) + 1, other);
  EXPECT_THAT(post("/counters/import", other + line), HasSubstr("another key"));
  EXPECT_THAT(post("/counters/import", "{\"key\":\"x\"}\n" + line), HasSubstr("not a mark"));
  EXPECT_EQ(post("/counters/import", ours + line), "{\"imported\":1}\n");
  EXPECT_EQ(post("/counters/import", line), "{\"imported\":1}\n");  // of an earlier version
  const http::HttpReply reply =
      testing::begin(counters_.routes(), http::HttpMethod::kGet, "/api/1/counters/export");
  EXPECT_TRUE(reply.more().value().starts_with(ours));
}

TEST_F(CounterResourceTest, AWindowMayBeUnknownByItself) {
  store_->lost.insert({{0xABCD, PieceType::kSubject, Direction::kIn}, 1});
  EXPECT_THAT(
      post("/counters/ask", R"({"pieces":[{"type":"subject","shingle":"000000000000abcd"}],)"
                            R"("windows":["10m","1d"]})"),
      HasSubstr(R"("known":false,"sums":[{},null])"));
}

TEST_F(CounterResourceTest, WhatCannotBeKnownIsUnknown) {
  store_->unknown.insert({0xABCD, PieceType::kSubject, Direction::kIn});
  EXPECT_THAT(post("/counters/ask", R"({"pieces":[)" + kPiece + "," +
                                        R"({"type":"subject","piece":"b"}],"windows":["1h"]})"),
              HasSubstr(R"("known":false,"sums":[]},{"type":"subject","shingle":")"));
}

TEST_F(CounterResourceTest, RefusesInvalidRequests) {
  struct Case {
    const char* why;
    const char* path;
    http::HttpMethod method;
    std::string body;
    unsigned status;
  };
  const Case cases[] = {
      {"a GET", "/counters/ask", http::HttpMethod::kGet, "", 405},
      {"a POST", "/counters/export", http::HttpMethod::kPost, "", 405},
      {"an unknown page", "/counters/drop", http::HttpMethod::kPost, "", 404},
      {"the key is not shown", "/counters/key", http::HttpMethod::kGet, "", 404},
      {"not JSON", "/counters/ask", http::HttpMethod::kPost, "x", 400},
      {"not JSON", "/counters/series", http::HttpMethod::kPost, "x", 400},
      {"nothing is added", "/counters/add", http::HttpMethod::kPost, "{" + kPieces + "}", 400},
      {"an ask adds nothing", "/counters/ask", http::HttpMethod::kPost,
       "{" + kPieces + R"(,"add":{"mass":1}})", 400},
      {"negative", "/counters/take", http::HttpMethod::kPost,
       "{" + kPieces + R"(,"add":{"mass":-1}})", 400},
      {"no pieces", "/counters/forget", http::HttpMethod::kPost, "{}", 400},
      {"no additions", "/counters/learn", http::HttpMethod::kPost, "{}", 400},
      {"most", "/counters/top", http::HttpMethod::kPost, R"({"most":5000})", 400},
  };
  for (const Case& test : cases) {
    const http::HttpReply reply = ask(test.path, test.body, test.method);
    EXPECT_EQ(reply.status, test.status) << test.why;
    EXPECT_EQ(reply.type, "application/problem+json") << test.why;
    const bool known = test.status == 400;
    EXPECT_EQ(ask(test.path, test.body, test.method, http::Role::kOff).status,
              known ? 401U : test.status)
        << test.why;
    EXPECT_EQ(ask(test.path, test.body, test.method, http::Role::kMetrics).status,
              known ? 403U : test.status)
        << test.why;
  }
  EXPECT_TRUE(store_->counters.empty());
}

TEST_F(CounterResourceTest, SaysThatTheStoreIsAwayOrOff) {
  const std::string add = "{" + kPieces + R"(,"add":{"mass":1}})";
  store_->fails = Error{ErrorCode::kUnavailable, "the disk is full"};
  for (const char* path : {"/counters/add", "/counters/take"}) {
    EXPECT_EQ(ask(path, add).status, 503U) << path;
    EXPECT_THAT(ask(path, add).body, HasSubstr("\"detail\":\"the disk is full\"")) << path;
  }
  for (const char* path : {"/counters/series", "/counters/forget"})
    EXPECT_EQ(ask(path, "{" + kPieces + "}").status, 503U) << path;
  EXPECT_EQ(ask("/counters/top", "").status, 503U);
  EXPECT_EQ(ask("/counters/export", "", http::HttpMethod::kGet).status, 503U);
  store_->fails = Error{ErrorCode::kCorrupt, "file 5"};
  EXPECT_EQ(ask("/counters/top", "").status, 500U);
  store_ = nullptr;
  EXPECT_THAT(ask("/counters/add", add).body, HasSubstr("\"detail\":\"counters are off\""));
  EXPECT_EQ(ask("/counters/add", add).status, 503U);
}

TEST_F(CounterResourceTest, CountsRequestsByTheirStatus) {
  ask("/counters/ask", "{" + kPieces + "}");
  ask("/counters/top", "{}");
  ask("/counters/ask", "no JSON");
  ask("/counters/top", "{}", http::HttpMethod::kGet);
  store_->fails = Error{ErrorCode::kCorrupt, "file 5"};
  ask("/counters/top", "{}");
  MetricReport report;
  counters_.report(report);
  EXPECT_EQ(report.total("shingled_counters_requests"), 2);
  EXPECT_EQ(report.total("shingled_counters_requests_refused"), 1)
      << "a wrong method is no request for counters";
  EXPECT_EQ(report.total("shingled_counters_requests_failed"), 1);
}

TEST_F(CounterResourceTest, AreServedOverASocket) {
  const testing::TemporaryDirectory directory;
  http::HttpServerOptions service;
  service.listen = {{SocketSpec::Kind::kUnix, "", 0, directory.file("counters")}};
  service.body_bytes_max = 65'536;
  SystemClock clock;
  SystemRandom random;
  const Router router(counters_.routes());
  const auto server = http::HttpServer::start(
      service, [&](const http::HttpRequest& request) { return router.answer(request); }, clock,
      random);
  ASSERT_TRUE(server) << server.error().message;
  const testing::RawHttp http(service.listen.front());
  for (int i = 0; i < 3; ++i) {
    http.post("/counters/take", "{" + kPieces + R"(,"add":{"mass":1},"windows":["1h"]})",
              "X-Shingled: 1\r\n");
    EXPECT_THAT(http.read("]}]}\n"),
                HasSubstr(i == 0 ? R"("sums":[{}])" : R"("sums":[{"mass":)" + std::to_string(i)));
  }
  http.send("GET /counters/export HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(http.read("0\r\n\r\n"),
              HasSubstr(R"({"name":"mass_in_000000000000abcd_8_1d_19663","count":3})"));
  http.post("/api/1/counters/top", "{}", "X-Shingled: 1\r\n");
  EXPECT_THAT(http.read("]}\n"), HasSubstr("\"count\":3"));
}

}  // namespace
}  // namespace shingled::milter::api
