// Covers milter/api/client/daemon_client.cpp.
#include "milter/api/client/daemon_client.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "milter/api/reply.h"
#include "milter/http/http_server.h"

namespace shingled::milter::api {
namespace {

class DaemonClientTest : public ::testing::Test {
 protected:
  DaemonClientTest() {
    http::HttpServerOptions options;
    options.listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 0, ""}};
    options.access.local = http::Role::kChange;
    options.body_bytes_max = 4096;
    auto server = http::HttpServer::start(
        options, [](const http::HttpRequest& request) { return answer(request); }, clock_, random_);
    if (!server) throw std::runtime_error(server.error().message);
    server_ = *std::move(server);
    endpoint_.socket = *SocketSpec::parse(server_->addresses().front());
  }
  static http::HttpReply answer(const http::HttpRequest& request) {
    if (request.path == "/text") return {200, "text/plain", "no object"};
    if (request.path == "/list") return {200, "application/json", "[1]"};
    if (request.path == "/away") return problem({ErrorCode::kUnavailable, "the store is away"});
    if (request.path == "/wrong") return problem({ErrorCode::kInvalid, "most: out of range"});
    Json reply;
    reply["path"] = request.path;
    reply["method"] = static_cast<int>(request.method);
    reply["body"] = request.body;
    reply["type"] = request.type;
    reply["changes"] = request.caller.changes;
    return json_reply(reply);
  }

  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<http::HttpServer> server_;
  http::Endpoint endpoint_;
};

TEST_F(DaemonClientTest, ReadsObjects) {
  const DaemonClient client(endpoint_, clock_);
  const auto got = client.get("/a");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->at("path"), "/a");
  const auto posted = client.post("/b", "text", "message/rfc822");
  ASSERT_TRUE(posted) << posted.error().message;
  EXPECT_EQ(posted->at("body"), "text");
  EXPECT_EQ(posted->at("type"), "message/rfc822");
  EXPECT_TRUE(posted->at("changes")) << "a program of this machine may change something";
  const auto removed = client.remove("/c");
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(removed->at("method"), static_cast<int>(http::HttpMethod::kDelete));
}

TEST_F(DaemonClientTest, SpeaksOfEachFailureByItsCode) {
  const DaemonClient client(endpoint_, clock_);
  struct Case {
    const char* why;
    const char* target;
    ErrorCode code;
    const char* text;
  };
  for (const Case& test : {
           Case{"an answer that is no JSON", "/text", ErrorCode::kCorrupt, "not JSON"},
           Case{"JSON that is no object", "/list", ErrorCode::kCorrupt, "not JSON"},
           Case{"what comes again later", "/away", ErrorCode::kUnavailable, "the store is away"},
           Case{"what is wrong for ever", "/wrong", ErrorCode::kInvalid, "most: out of range"},
       }) {
    const auto got = client.get(test.target);
    ASSERT_FALSE(got) << test.why;
    EXPECT_EQ(got.error().code, test.code) << test.why;
    EXPECT_NE(got.error().message.find(test.text), std::string::npos) << got.error().message;
  }
}

TEST_F(DaemonClientTest, WithoutADaemonEveryCallSaysSo) {
  const DaemonClient nobody(Error{ErrorCode::kUnavailable, "no daemon can be asked"}, clock_);
  EXPECT_EQ(nobody.get("/a").error().message, "no daemon can be asked");
  server_.reset();
  const DaemonClient gone(endpoint_, clock_);
  EXPECT_EQ(gone.get("/a").error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace shingled::milter::api
