// Covers milter/http/announced_body.cpp, milter/http/http_server.cpp,
// milter/http/request_origin.cpp: bodies of requests, keys,
// several requests on a connection, replies that are made while they are sent, work that takes
// long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "milter/http/http_server.h"
#include "tests/milter/http/raw_http.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawHttp;
using ::testing::StartsWith;
using testing::TemporaryDirectory;

constexpr const char* kKey = "correct-horse-battery";

class HttpBodyTest : public ::testing::Test {
 protected:
  HttpServerOptions options() {
    HttpServerOptions out;
    out.option = "counters.listen";
    out.listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 0, ""}};
    out.access = HttpServerOptions::Access::kWithKeys;
    out.keys_file = keys_file(kKey);
    out.body_bytes_max = 1000;
    out.keep_alive = true;
    out.timeout = std::chrono::seconds(20);
    return out;
  }
  std::string keys_file(const std::string& text) {
    const std::string path = directory_.file("keys");
    std::ofstream(path) << "# keys\n\n" << text << "\n";
    ::chmod(path.c_str(), 0600);
    return path;
  }
  void start(const HttpServerOptions& with) {
    auto server = HttpServer::start(
        with, [this](const HttpRequest& request) { return answer(request); }, clock_);
    ASSERT_TRUE(server.has_value()) << server.error().message;
    server_ = *std::move(server);
    place_ = *SocketSpec::parse(server_->addresses().front());
  }
  HttpReply answer(const HttpRequest& request) {
    ++asked_;
    if (request.path == "/stream") {
      auto left = std::make_shared<int>(3);
      HttpReply reply{200, "text/plain", "first "};
      reply.more = [left]() -> Result<std::string> {
        return (*left)-- > 0 ? std::string(50'000, '~') : std::string();
      };
      return reply;
    }
    if (request.path == "/broken") {
      HttpReply reply{200, "text/plain", "first "};
      reply.more = []() -> Result<std::string> { return Error{ErrorCode::kCorrupt, "as asked"}; };
      return reply;
    }
    if (request.path == "/slow") {
      HttpReply reply;
      reply.slow = true;
      reply.later = [this, &request](const std::stop_token& stop) -> HttpReply {
        if (request.body == "wait") wait_for(stop);
        return {200, "text/plain", "slow " + request.body};
      };
      return reply;
    }
    if (request.path == "/later" || request.path == "/wait" || request.path == "/throw") {
      HttpReply reply;
      reply.later = [this, path = request.path](const std::stop_token& stop) -> HttpReply {
        if (path == "/throw") throw std::runtime_error("as asked");
        if (path == "/wait") wait_for(stop);
        return {200, "text/plain", stop.stop_requested() ? "stopped" : "done"};
      };
      return reply;
    }
    return {200, "text/plain",
            request.body + (request.authorised ? " authorised" : "") +
                (request.direct ? " direct" : "")};
  }
  void wait_for(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    is_waiting_ = true;
    changed_.notify_all();
    changed_.wait(lock, stop, [] { return false; });
  }
  static std::string bearer(const std::string& key) {
    return "Authorization: Bearer " + key + "\r\n";
  }
  /// The reply to one request on its own connection.
  [[nodiscard]] std::string post(const std::string& body, const std::string& headers,
                                 const std::string& path = "/page") const {
    const RawHttp http(place_);
    http.post(path, body, headers + "Connection: close\r\n");
    return http.read();
  }

  TemporaryDirectory directory_;
  SystemClock clock_;
  std::atomic<int> asked_{0};
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_waiting_ = false;
  std::unique_ptr<HttpServer> server_;
  SocketSpec place_;
};

TEST_F(HttpBodyTest, TakesABodyOfWhoHasAKey) {
  start(options());
  EXPECT_THAT(post("hello", bearer(kKey)), HasSubstr("\r\n\r\nhello authorised"));
  EXPECT_THAT(post("hello", "X-Shingled-Key: " + std::string(kKey) + "\r\n"),
              HasSubstr("\r\n\r\nhello authorised"));
  EXPECT_THAT(post("hello", "authorization: bearer " + std::string(kKey) + "\r\n"),
              HasSubstr("hello authorised"));
  EXPECT_THAT(post(std::string(1000, 'b'), bearer(kKey)), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpBodyTest, RefusesWhoHasNone) {
  start(options());
  const std::string wrong[] = {"",
                               bearer("correct-horse-batterx"),
                               bearer("correct-horse-batter"),
                               bearer(""),
                               "Authorization: " + std::string(kKey) + "\r\n",
                               bearer(std::string(5000, 'k')),
                               "X-Shingled: 1\r\n"};
  for (const std::string& headers : wrong) {
    const std::string answer = post("hello", headers);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 401")) << headers;
    EXPECT_THAT(answer, HasSubstr("WWW-Authenticate: Bearer")) << headers;
  }
  EXPECT_EQ(asked_, 0);
}

TEST_F(HttpBodyTest, RefusesABodyWithTwoLengths) {
  start(options());
  const std::string twice[] = {"Content-Length: 5\r\n", "content-length: 0\r\n",
                               "Transfer-Encoding: chunked\r\n"};
  for (const std::string& headers : twice) {
    EXPECT_THAT(post("hello", bearer(kKey) + headers), StartsWith("HTTP/1.1 400")) << headers;
  }
  EXPECT_EQ(asked_, 0);
}

TEST_F(HttpBodyTest, TakesNewKeysAtAReloadAndKeepsTheOldOnesIfTheyAreWrong) {
  start(options());
  keys_file("another-horse-battery");
  auto keys = server_->read_keys();
  ASSERT_TRUE(keys);
  server_->use_keys(*std::move(keys));
  EXPECT_THAT(post("", bearer(kKey)), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(post("", bearer("another-horse-battery")), StartsWith("HTTP/1.1 200"));
  keys_file("short");
  EXPECT_FALSE(server_->read_keys());
  EXPECT_THAT(post("", bearer("another-horse-battery")), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpBodyTest, AUnixSocketNeedsNoKey) {
  HttpServerOptions with = options();
  with.keys_file = "";
  EXPECT_FALSE(HttpServer::start(with, {}, clock_)) << "an address of a network needs one";
  with.listen = {{SocketSpec::Kind::kUnix, "", 0, directory_.file("http")}};
  start(with);
  EXPECT_THAT(post("hello", ""), HasSubstr("hello authorised"));
}

TEST_F(HttpBodyTest, RefusesABodyThatIsTooLong) {
  start(options());
  EXPECT_THAT(post(std::string(1001, 'b'), bearer(kKey)), StartsWith("HTTP/1.1 413"));
  const std::string endless = "POST /page HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                              bearer(kKey) + "Transfer-Encoding: chunked\r\n\r\n";
  const RawHttp chunks(place_);
  chunks.send(endless + "258\r\n" + std::string(600, 'a') + "\r\n258\r\n" + std::string(600, 'a') +
              "\r\n0\r\n\r\n");
  EXPECT_THAT(chunks.read(), HasSubstr("HTTP/1.1 413"));
  EXPECT_EQ(asked_, 0);
  const RawHttp fits(place_);
  fits.send(endless + "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n");
  EXPECT_THAT(fits.read(), HasSubstr("abcd authorised"));
}

TEST_F(HttpBodyTest, BoundsTheBodiesOfAllConnections) {
  HttpServerOptions with = options();
  with.bodies_max = 2;
  start(with);
  const std::string most(999, 'b');
  const std::string head =
      "POST /page HTTP/1.1\r\nHost: localhost\r\n" + bearer(kKey) + "Content-Length: 1000\r\n\r\n";
  const RawHttp first(place_);
  const RawHttp second(place_);
  // A small request that is answered shows that the server has read what was sent before.
  for (const RawHttp* http : {&first, &second}) http->send(head + most);
  std::string answer;
  do {
    answer = post("abcd", bearer(kKey));
  } while (answer.starts_with("HTTP/1.1 200"));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503"));
  first.send("!");
  EXPECT_THAT(first.read("authorised"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(post("abcd", bearer(kKey)), StartsWith("HTTP/1.1 200")) << "there is room again";
}

TEST_F(HttpBodyTest, AnswersHeadWithTheHeaderAlone) {
  start(options());
  for (const char* path : {"/stream", "/later", "/page"}) {
    const RawHttp http(place_);
    http.send(std::string("HEAD ") + path + " HTTP/1.1\r\nHost: localhost\r\n" + bearer(kKey) +
              "\r\n");
    http.post("/page", "hello", bearer(kKey) + "Connection: close\r\n");
    const std::string replies = http.read();
    EXPECT_THAT(replies, StartsWith("HTTP/1.1 200 OK\r\n")) << path;
    const std::size_t end = replies.find("\r\n\r\n");
    ASSERT_NE(end, std::string::npos) << path;
    const std::string next = replies.substr(end + 4);
    EXPECT_THAT(next, StartsWith("HTTP/1.1 200 OK\r\n")) << path;
    EXPECT_THAT(next, HasSubstr("\r\n\r\nhello authorised")) << path;
  }
}

TEST_F(HttpBodyTest, AnswersManyRequestsOnOneConnection) {
  start(options());
  const RawHttp http(place_);
  for (int i = 0; i < 20; ++i) {
    http.post("/page", std::to_string(i) + "!", bearer(kKey));
    EXPECT_THAT(http.read("authorised"), HasSubstr("\r\n\r\n" + std::to_string(i) + "! "));
  }
  http.post("/later", "", bearer(kKey));
  EXPECT_THAT(http.read("done"), StartsWith("HTTP/1.1 200"));
  http.post("/stream", "", bearer(kKey));
  EXPECT_THAT(http.read("0\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  http.post("/page", "last", bearer(kKey));
  EXPECT_THAT(http.read("authorised"), HasSubstr("last"));
  EXPECT_EQ(asked_, 23);
}

TEST_F(HttpBodyTest, SendsAReplyWhileItIsMade) {
  start(options());
  const std::string answer = post("", bearer(kKey), "/stream");
  EXPECT_THAT(answer, HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_EQ(std::count(answer.begin(), answer.end(), '~'), 150'000);
  EXPECT_THAT(answer, HasSubstr("first "));
  EXPECT_TRUE(answer.ends_with("0\r\n\r\n"));
}

TEST_F(HttpBodyTest, CutsAReplyThatCannotBeCompleted) {
  start(options());
  const std::string answer = post("", bearer(kKey), "/broken");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_FALSE(answer.ends_with("0\r\n\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("stays open")));
}

TEST_F(HttpBodyTest, AnswersOthersWhileWorkTakesLong) {
  start(options());
  const RawHttp waiting(place_);
  waiting.post("/wait", "", bearer(kKey));
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_waiting_; });
  }
  EXPECT_THAT(post("other", bearer(kKey)), HasSubstr("other authorised"));
  EXPECT_THAT(post("", bearer(kKey), "/later"), HasSubstr("\r\n\r\ndone"));
  EXPECT_THAT(post("", bearer(kKey), "/throw"), StartsWith("HTTP/1.1 500"));
  server_.reset();  // ends the work, and does not wait for it otherwise
}

TEST_F(HttpBodyTest, SlowWorkDelaysNoOther) {
  start(options());
  EXPECT_THAT(post("ends", bearer(kKey), "/slow"), HasSubstr("\r\n\r\nslow ends"));
  const RawHttp first(place_);
  first.post("/slow", "wait", bearer(kKey));
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_waiting_; });
  }
  std::vector<std::unique_ptr<RawHttp>> others;
  for (int i = 0; i < 3; ++i) {
    others.push_back(std::make_unique<RawHttp>(place_));
    others.back()->post("/slow", "wait", bearer(kKey));
  }
  EXPECT_THAT(post("", bearer(kKey), "/later"), HasSubstr("\r\n\r\ndone"));
  server_.reset();
}

TEST(HttpServerOptions, HaveRoomForReports) {
  HttpServerOptions options;
  options.bodies_max = 16;
  constexpr std::uint64_t kMega = 1U << 20U;
  const HttpServerOptions with = with_bodies(options, 4 * kMega, 16 * kMega);
  EXPECT_EQ(with.body_bytes_max, 16 * kMega) << "whether reports are on or off";
  EXPECT_EQ(with.bodies_max, 4U);
  EXPECT_EQ(with_bodies(options, 4 * kMega, kMega).bodies_max, 16U);
}

TEST_F(HttpBodyTest, StatusPagesTakeABodyOfProgramsOfThisMachineOnly) {
  HttpServerOptions with = options();
  with.access = HttpServerOptions::Access::kAnyone;
  with.keep_alive = false;
  start(with);
  EXPECT_THAT(post("hello", "X-Shingled: 1\r\n"), HasSubstr("\r\n\r\nhello direct"));
  EXPECT_THAT(post("hello", ""), StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(post("hello", bearer(kKey)), StartsWith("HTTP/1.1 413"));
  const RawHttp closed(place_);
  closed.post("/page", "one", "X-Shingled: 1\r\n");
  EXPECT_THAT(closed.read(), HasSubstr("Connection: close"));
}

}  // namespace
}  // namespace shingled::milter::http
