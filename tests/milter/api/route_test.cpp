// Covers milter/api/route.cpp, milter/api/session_resource.cpp, milter/view/json.cpp.
#include "milter/api/route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "milter/api/session_resource.h"
#include "storage/crypto/password.h"
#include "tests/milter/api/asked_routes.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::api {
namespace {

using http::HttpMethod;
using http::Right;
using http::Role;
using Kind = Parameter::Kind;
using ::testing::HasSubstr;

http::HttpReply echo(const Call& call) {
  std::string text = call.part;
  for (const auto& [name, value] : call.request.arguments) text += " " + name + "=" + value;
  return {200, "text/plain", text};
}

std::vector<Route> routes() {
  return {
      {HttpMethod::kGet,
       "/api/1/things",
       Right::kRead,
       Route::Pace::kAtOnce,
       "All of them.",
       {{"most", "how many", Kind::kInteger, false, 1, 10},
        {"kind", "which", Kind::kWord, false, 0, 0, {"old", "new"}},
        {"names", "with names", Kind::kFlag}},
       "",
       "things",
       &echo},
      {HttpMethod::kGet,
       "/api/1/things/{id}",
       Right::kRead,
       Route::Pace::kLater,
       "One.",
       {},
       "",
       "id",
       &echo},
      {HttpMethod::kPost,
       "/api/1/things/{id}/close",
       Right::kChange,
       Route::Pace::kSlow,
       "Closes it.",
       {{"why", "the reason", Kind::kText, true}},
       "",
       "id",
       &echo},
      {HttpMethod::kPost,
       "/api/1/reports",
       Right::kReport,
       Route::Pace::kAtOnce,
       "Takes one.",
       {},
       "message/rfc822",
       "what",
       &echo},
      {HttpMethod::kGet,
       "/healthz",
       Right::kNothing,
       Route::Pace::kAtOnce,
       "Lives.",
       {},
       "",
       "",
       &echo},
  };
}

using Arguments = std::map<std::string, std::string>;

http::HttpReply ask(HttpMethod method, const std::string& path, const Arguments& arguments = {},
                    Role role = Role::kChange, const std::string& body = "") {
  return testing::ask(routes(), method, path, body, arguments, role);
}

TEST(Router, FindsTheRouteOfAPath) {
  EXPECT_EQ(ask(HttpMethod::kGet, "/api/1/things", {{"most", "3"}}).body, " most=3");
  EXPECT_EQ(ask(HttpMethod::kGet, "/api/1/things/a/b").body, "a/b") << "a key may have a slash";
  EXPECT_EQ(ask(HttpMethod::kPost, "/api/1/things/x/close", {{"why", "y"}}).body, "x why=y");
  EXPECT_EQ(ask(HttpMethod::kPost, "/report", {}, Role::kReport, "mail").status, 200U)
      << "the path of an earlier version";
}

TEST(Router, RefusesWithAReason) {
  const struct {
    const char* why;
    HttpMethod method;
    const char* path;
    Arguments arguments;
    Role role;
    unsigned status;
    const char* detail;
  } cases[] = {
      {"no path",
       HttpMethod::kGet,
       "/api/1/thing",
       {},
       Role::kChange,
       404,
       "there is nothing at this path"},
      {"no part",
       HttpMethod::kGet,
       "/api/1/things/",
       {},
       Role::kChange,
       404,
       "there is nothing at this path"},
      {"another method",
       HttpMethod::kPost,
       "/api/1/things",
       {},
       Role::kChange,
       405,
       "only GET, HEAD"},
      {"nobody", HttpMethod::kGet, "/api/1/things", {}, Role::kOff, 401, "needs a key"},
      {"a lesser role",
       HttpMethod::kGet,
       "/api/1/things",
       {},
       Role::kCount,
       403,
       "needs the role 'read'; this is 'count'"},
      {"nobody may look at arguments",
       HttpMethod::kGet,
       "/api/1/things",
       {{"x", "1"}},
       Role::kOff,
       401,
       "needs a key"},
      {"an unknown argument",
       HttpMethod::kGet,
       "/api/1/things",
       {{"mots", "1"}},
       Role::kRead,
       400,
       "unknown argument 'mots', did you mean 'most'?"},
      {"out of range",
       HttpMethod::kGet,
       "/api/1/things",
       {{"most", "11"}},
       Role::kRead,
       400,
       "most: must be 1 to 10"},
      {"no number",
       HttpMethod::kGet,
       "/api/1/things",
       {{"most", "1x"}},
       Role::kRead,
       400,
       "most: must be 1 to 10"},
      {"another word",
       HttpMethod::kGet,
       "/api/1/things",
       {{"kind", "odd"}},
       Role::kRead,
       400,
       "kind: must be old or new"},
      {"no flag",
       HttpMethod::kGet,
       "/api/1/things",
       {{"names", "1"}},
       Role::kRead,
       400,
       "names: must be yes or no"},
      {"missing",
       HttpMethod::kPost,
       "/api/1/things/x/close",
       {},
       Role::kChange,
       400,
       "why: is missing"},
  };
  for (const auto& test : cases) {
    const http::HttpReply reply = ask(test.method, test.path, test.arguments, test.role);
    EXPECT_EQ(reply.status, test.status) << test.why;
    EXPECT_THAT(reply.body, HasSubstr(std::string("\"detail\":\"") + test.detail)) << test.why;
  }
  EXPECT_EQ(ask(HttpMethod::kGet, "/api/1/things", {}, Role::kRead, "body").status, 415U);
  EXPECT_EQ(ask(HttpMethod::kGet, "/healthz", {}, Role::kOff).status, 200U);
}

TEST(Router, ABrowserThatSendsNoTokenChangesNothing) {
  http::HttpRequest request;
  request.path = "/api/1/reports";
  request.method = HttpMethod::kPost;
  request.caller.role = Role::kChange;
  request.caller.changes = false;
  request.caller.why = "a change needs the token";
  const Router router(routes());
  EXPECT_EQ(router.answer(request).status, 403U);
  EXPECT_THAT(router.answer(request).body, HasSubstr("needs the token"));
  request.path = "/api/1/things";
  request.method = HttpMethod::kGet;
  EXPECT_EQ(router.answer(request).status, 200U);
}

TEST(Router, DescribesItself) {
  const Json document = Router(routes()).document();
  EXPECT_EQ(document.at("openapi"), "3.1.0");
  EXPECT_EQ(document.at("paths").size(), 4U) << "/healthz is no part of the API";
  const Json& close = document.at("paths").at("/api/1/things/{id}/close").at("post");
  EXPECT_EQ(close.at("operationId"), "post_things_id_close");
  EXPECT_EQ(close.at("x-role"), "change");
  EXPECT_EQ(close.at("parameters").at(0).at("in"), "path");
  EXPECT_EQ(close.at("parameters").at(1).at("required"), true);
  EXPECT_TRUE(document.at("paths").at("/api/1/reports").at("post").contains("requestBody"));
}

class SessionResourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<http::User> users = {
        {"ann", Role::kChange, storage::crypto::hash_password("correct horse")}};
    std::ofstream(directory_.file("users")) << http::users_text(users);
    ::chmod(directory_.file("users").c_str(), 0600);
    auto access = http::Access::open({.users_file = directory_.file("users")}, clock_, random_);
    ASSERT_TRUE(access) << access.error().message;
    access_ = *std::move(access);
  }
  http::HttpReply sign_in(const std::string& body, const std::string& type = "application/json") {
    http::HttpRequest request;
    request.path = "/api/1/session";
    request.method = HttpMethod::kPost;
    request.body = body;
    request.type = type;
    request.caller.network = "192.0.2.0/24";
    const SessionResource sessions([this] { return access_.get(); }, /*secure=*/true);
    const Router router(sessions.routes());
    http::HttpReply reply = router.answer(request);
    while (reply.later) reply = reply.later({});
    return reply;
  }

  testing::TemporaryDirectory directory_;
  testing::ManualClock clock_;
  SystemRandom random_;
  std::unique_ptr<http::Access> access_;
};

TEST_F(SessionResourceTest, SignsInWithTheRightPassword) {
  const http::HttpReply reply = sign_in(R"({"name":"ann","password":"correct horse"})");
  ASSERT_EQ(reply.status, 200U) << reply.body;
  EXPECT_THAT(reply.body, HasSubstr(R"({"name":"ann","role":"change","token":")"));
  ASSERT_EQ(reply.headers.size(), 1U);
  EXPECT_EQ(reply.headers[0].first, "Set-Cookie");
  for (const char* part : {"shingled=", "HttpOnly", "SameSite=Strict", "Secure", "Max-Age=43200"})
    EXPECT_THAT(reply.headers[0].second, HasSubstr(part));
}

TEST_F(SessionResourceTest, RefusesEverythingElseAndSlowsDown) {
  EXPECT_EQ(sign_in(R"({"name":"ann","password":"correct horse"})", "text/plain").status, 400U);
  EXPECT_EQ(sign_in("[]").status, 400U);
  EXPECT_EQ(sign_in(R"({"name":1})").status, 403U);
  EXPECT_EQ(sign_in(R"({"name":"bob","password":"correct horse"})").status, 403U);
  unsigned refused = 0;
  for (int i = 0; i < 8; ++i) {
    const http::HttpReply reply = sign_in(R"({"name":"ann","password":"wrong"})");
    if (reply.status == 429U) ++refused;
  }
  EXPECT_EQ(refused, 3U) << "five tries in a burst";
  EXPECT_EQ(sign_in(R"({"name":"ann","password":"correct horse"})").status, 429U);
  clock_.advance(std::chrono::minutes(2));
  EXPECT_EQ(sign_in(R"({"name":"ann","password":"correct horse"})").status, 200U);
}

}  // namespace
}  // namespace shingled::milter::api
