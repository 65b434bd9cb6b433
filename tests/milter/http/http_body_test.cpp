// Covers milter/http/request_fields.cpp, milter/http/http_server.cpp,
// milter/http/http_message.cpp: bodies of requests, keys,
// several requests on a connection, replies that are made while they are sent, work that takes
// long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
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

class HttpBodyTest : public ::testing::Test {
 protected:
  HttpServerOptions options() {
    HttpServerOptions out;
    out.listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 0, ""}};
    out.access = {Role::kOff, directory_.file("keys"), ""};
    out.body_bytes_max = 1000;
    key_ = new_key();
    out.timeout = std::chrono::seconds(20);
    return out;
  }
  /// The only key of the file from now on.
  std::string new_key() {
    std::array<std::uint8_t, 32> bits{};
    random_.fill(bits);
    const NewKey made = key_from(bits);
    const std::vector<ProgramKey> keys = {{"test", Role::kChange, made.digest}};
    std::ofstream(directory_.file("keys")) << keys_text(keys);
    ::chmod(directory_.file("keys").c_str(), 0640);
    return made.text;
  }
  void start(const HttpServerOptions& with) {
    auto server = HttpServer::start(
        with, [this](const HttpRequest& request) { return answer(request); }, clock_, random_);
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
            request.body + (request.caller.role == Role::kChange ? " authorised" : "")};
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
  SystemRandom random_;
  std::string key_;
  std::atomic<int> asked_{0};
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_waiting_ = false;
  std::unique_ptr<HttpServer> server_;
  SocketSpec place_;
};

TEST_F(HttpBodyTest, TakesABodyOfWhoHasAKey) {
  start(options());
  EXPECT_THAT(post("hello", bearer(key_)), HasSubstr("\r\n\r\nhello authorised"));
  EXPECT_THAT(post("hello", "X-Shingled-Key: " + key_ + "\r\n"),
              HasSubstr("\r\n\r\nhello authorised"));
  EXPECT_THAT(post("hello", "authorization: bearer " + key_ + "\r\n"),
              HasSubstr("hello authorised"));
  EXPECT_THAT(post(std::string(1000, 'b'), bearer(key_)), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpBodyTest, WhoHasNoneIsNobodyAndSendsLittle) {
  HttpServerOptions with = options();
  with.body_bytes_max = 100'000;
  start(with);
  const std::string wrong[] = {"",
                               bearer(key_ + "y"),
                               bearer(key_.substr(1)),
                               bearer(""),
                               "Authorization: " + key_ + "\r\n",
                               bearer(std::string(5000, 'k')),
                               "X-Shingled: 1\r\n"};
  for (const std::string& headers : wrong) {
    EXPECT_TRUE(post("hello", headers).ends_with("\r\n\r\nhello")) << headers;
    EXPECT_THAT(post(std::string(4097, 'b'), headers), StartsWith("HTTP/1.1 413")) << headers;
  }
}

TEST_F(HttpBodyTest, RefusesABodyWithTwoLengths) {
  start(options());
  const std::string twice[] = {"Content-Length: 5\r\n", "content-length: 0\r\n",
                               "Transfer-Encoding: chunked\r\n"};
  for (const std::string& headers : twice) {
    EXPECT_THAT(post("hello", bearer(key_) + headers), StartsWith("HTTP/1.1 400")) << headers;
  }
  EXPECT_EQ(asked_, 0);
}

TEST_F(HttpBodyTest, LooksAtTheFileOfKeysAgain) {
  start(options());
  const std::string before = key_;
  const std::string after = new_key();
  ASSERT_TRUE(server_->access().look());
  EXPECT_THAT(post("", bearer(before)), Not(HasSubstr("authorised")));
  EXPECT_THAT(post("", bearer(after)), HasSubstr("authorised"));
}

TEST_F(HttpBodyTest, RefusesABodyThatIsTooLong) {
  start(options());
  EXPECT_THAT(post(std::string(1001, 'b'), bearer(key_)), StartsWith("HTTP/1.1 413"));
  const std::string endless = "POST /page HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                              bearer(key_) + "Transfer-Encoding: chunked\r\n\r\n";
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
      "POST /page HTTP/1.1\r\nHost: localhost\r\n" + bearer(key_) + "Content-Length: 1000\r\n\r\n";
  const RawHttp first(place_);
  const RawHttp second(place_);
  // A small request that is answered shows that the server has read what was sent before.
  for (const RawHttp* http : {&first, &second}) http->send(head + most);
  std::string answer;
  do {
    answer = post("abcd", bearer(key_));
  } while (answer.starts_with("HTTP/1.1 200"));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503"));
  first.send("!");
  EXPECT_THAT(first.read("authorised"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(post("abcd", bearer(key_)), StartsWith("HTTP/1.1 200")) << "there is room again";
}

TEST_F(HttpBodyTest, AnswersHeadWithTheHeaderAlone) {
  start(options());
  for (const char* path : {"/stream", "/later", "/page"}) {
    const RawHttp http(place_);
    http.send(std::string("HEAD ") + path + " HTTP/1.1\r\nHost: localhost\r\n" + bearer(key_) +
              "\r\n");
    http.post("/page", "hello", bearer(key_) + "Connection: close\r\n");
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
    http.post("/page", std::to_string(i) + "!", bearer(key_));
    EXPECT_THAT(http.read("authorised"), HasSubstr("\r\n\r\n" + std::to_string(i) + "! "));
  }
  http.post("/later", "", bearer(key_));
  EXPECT_THAT(http.read("done"), StartsWith("HTTP/1.1 200"));
  http.post("/stream", "", bearer(key_));
  EXPECT_THAT(http.read("0\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  http.post("/page", "last", bearer(key_));
  EXPECT_THAT(http.read("authorised"), HasSubstr("last"));
  EXPECT_EQ(asked_, 23);
}

TEST_F(HttpBodyTest, SendsAReplyWhileItIsMade) {
  start(options());
  const std::string answer = post("", bearer(key_), "/stream");
  EXPECT_THAT(answer, HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_EQ(std::count(answer.begin(), answer.end(), '~'), 150'000);
  EXPECT_THAT(answer, HasSubstr("first "));
  EXPECT_TRUE(answer.ends_with("0\r\n\r\n"));
}

TEST_F(HttpBodyTest, CutsAReplyThatCannotBeCompleted) {
  start(options());
  const std::string answer = post("", bearer(key_), "/broken");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_FALSE(answer.ends_with("0\r\n\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("stays open")));
}

TEST_F(HttpBodyTest, AnswersOthersWhileWorkTakesLong) {
  start(options());
  const RawHttp waiting(place_);
  waiting.post("/wait", "", bearer(key_));
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_waiting_; });
  }
  EXPECT_THAT(post("other", bearer(key_)), HasSubstr("other authorised"));
  EXPECT_THAT(post("", bearer(key_), "/later"), HasSubstr("\r\n\r\ndone"));
  EXPECT_THAT(post("", bearer(key_), "/throw"), StartsWith("HTTP/1.1 500"));
  server_.reset();  // ends the work, and does not wait for it otherwise
}

TEST_F(HttpBodyTest, SlowWorkDelaysNoOther) {
  start(options());
  EXPECT_THAT(post("ends", bearer(key_), "/slow"), HasSubstr("\r\n\r\nslow ends"));
  const RawHttp first(place_);
  first.post("/slow", "wait", bearer(key_));
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_waiting_; });
  }
  std::vector<std::unique_ptr<RawHttp>> others;
  for (int i = 0; i < 3; ++i) {
    others.push_back(std::make_unique<RawHttp>(place_));
    others.back()->post("/slow", "wait", bearer(key_));
  }
  EXPECT_THAT(post("", bearer(key_), "/later"), HasSubstr("\r\n\r\ndone"));
  server_.reset();
}

}  // namespace
}  // namespace shingled::milter::http
