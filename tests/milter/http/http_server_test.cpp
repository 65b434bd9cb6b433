// Covers milter/http/connection_deadlines.cpp, milter/http/http_call.cpp,
// milter/http/endpoint.cpp.
#include "milter/http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <string>

#include "config/system/unique_fd.h"
#include "config/system/unix_address.h"
#include "milter/http/http_call.h"

namespace shingled::milter::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kPatienceMs = 30'000;

/// So that the answer ends at once.
const std::string kClose = "Connection: close\r\n";

/// The niceness of the thread that asks.
std::string niceness() { return std::to_string(::getpriority(PRIO_PROCESS, 0)); }

class HttpServerTest : public ::testing::Test {
 protected:
  void start(HttpServerOptions options = {}) {
    if (options.listen.empty()) options.listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 0, ""}};
    auto server = HttpServer::start(
        options,
        [this](const HttpRequest& request) {
          ++asked_;
          if (request.path == "/throw") throw std::runtime_error("as asked");
          if (request.path == "/aside") return HttpReply{200, "text/plain", niceness()};
          if (request.path == "/aside/later") {
            HttpReply later;
            later.later = [](const std::stop_token&) {
              return HttpReply{200, "text/plain", niceness()};
            };
            return later;
          }
          std::string text = request.path;
          for (const auto& [key, value] : request.arguments) text += " " + key + "=" + value;
          return HttpReply{200, "text/plain", text};
        },
        clock_, random_);
    ASSERT_TRUE(server.has_value()) << server.error().message;
    server_ = *std::move(server);
    place_ = *SocketSpec::parse(server_->addresses().front());
  }
  Result<HttpReply> get(const std::string& target) {
    Endpoint server;
    server.socket = place_;
    std::string body;
    auto reply = http_call(server, {.method = HttpMethod::kGet, .target = target}, clock_,
                           std::chrono::seconds(30), [&](std::string_view piece) {
                             body += piece;
                             return Status();
                           });
    if (reply && reply->status == 200) reply->body = body;
    return reply;
  }
  [[nodiscard]] UniqueFd connected() const {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto addresses = SocketAddress::resolve(place_);
    EXPECT_EQ(::connect(fd.get(), addresses->front().get(), addresses->front().length()), 0);
    return fd;
  }
  /// Sends bytes and returns the answer until the server closes.
  [[nodiscard]] std::string answer_to(const std::string& bytes) const {
    const UniqueFd fd = connected();
    static_cast<void>(::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
    return read_all(fd);
  }
  static std::string read_all(const UniqueFd& fd) {
    std::string text;
    std::array<char, 4096> buffer{};
    pollfd ask{fd.get(), POLLIN, 0};
    while (::poll(&ask, 1, kPatienceMs) == 1) {
      const ssize_t count = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
      if (count <= 0) return text;
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text + "(the connection stays open)";
  }

  SystemClock clock_;
  SystemRandom random_;
  std::atomic<int> asked_{0};
  std::unique_ptr<HttpServer> server_;
  SocketSpec place_;
};

TEST_F(HttpServerTest, AnswersAPageAndItsArguments) {
  start();
  const auto reply = get("/a%20b?x=1&y=%3d%26&empty&z=%2500");
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->status, 200U);
  EXPECT_EQ(reply->type, "text/plain");
  EXPECT_EQ(reply->body, "/a b empty= x=1 y==& z=%00");
}

TEST_F(HttpServerTest, ItsThreadsStandAsideForOthers) {
  start();
  constexpr int kNicest = 19;  // of the system: the suite may be nice itself
  const std::string nicer =
      std::to_string(std::min(kNicest, ::getpriority(PRIO_PROCESS, 0) + HttpServer::kNicer));
  for (const char* path : {"/aside", "/aside/later"}) {
    const auto reply = get(path);
    ASSERT_TRUE(reply.has_value()) << reply.error().message;
    EXPECT_EQ(reply->body, nicer) << path;
  }
}

TEST_F(HttpServerTest, ListensOnAUnixSocketAndOnIpv6) {
  const std::string path = "/tmp/shingled-http-" + std::to_string(::getpid());
  HttpServerOptions options;
  options.listen = {{SocketSpec::Kind::kUnix, "", 0, path}};
  start(options);
  EXPECT_EQ(get("/unix")->body, "/unix");
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0660U);
  const auto second = HttpServer::start(options, {}, clock_, random_);
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().message, HasSubstr("http.listen"));
  server_.reset();
  EXPECT_NE(::stat(path.c_str(), &info), 0) << "it removes its socket";

  options.listen = {{SocketSpec::Kind::kInet6, "::1", 0, ""}};
  start(options);
  EXPECT_EQ(get("/six")->body, "/six");
}

TEST_F(HttpServerTest, NamesAnAddressThatItCannotListenOn) {
  start();
  HttpServerOptions options;
  options.listen = {place_};
  const auto second = HttpServer::start(options, {}, clock_, random_);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message, StartsWith("http.listen inet:"));
}

TEST_F(HttpServerTest, SurvivesInvalidRequests) {
  start();
  const std::string host = "Host: localhost\r\n";
  struct Case {
    const char* why;
    std::string bytes;
    const char* expected;
  };
  const Case cases[] = {
      {"not HTTP", "\x16\x03\x01\x02 hello\r\n\r\n", ""},
      {"a head of HTTP/1.1 without a host", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400"},
      {"another method", "PUT / HTTP/1.1\r\n" + host + "\r\n", "HTTP/1.1 405"},
      {"an unknown method", "BREW /pot HTTP/1.1\r\n" + host + "\r\n", "HTTP/1.1 405"},
      {"a body", "GET / HTTP/1.1\r\n" + host + "Content-Length: 5\r\n\r\nhello", "HTTP/1.1 413"},
      {"a body without end",
       "GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nffffffff\r\n",
       "HTTP/1.1 413"},
      {"an upload", "POST / HTTP/1.1\r\n" + host + "Content-Length: 99999999999\r\n\r\n",
       "HTTP/1.1 413"},
      {"an address without end",
       "GET /" + std::string(2 * HttpServer::kRequestBytesMax, 'a') + " HTTP/1.1\r\n" + host +
           "\r\n",
       ""},
      {"headers without end",
       "GET / HTTP/1.1\r\n" + host +
           [] {
             std::string headers;
             for (int i = 0; i < 2000; ++i)
               headers += "X-" + std::to_string(i) + ": aaaaaaaaaa\r\n";
             return headers;
           }(),
       ""},
      {"an argument twice", "GET /a?x=1&y=2&x=1 HTTP/1.1\r\n" + host + "\r\n", "HTTP/1.1 400"},
      {"a host twice", "GET / HTTP/1.1\r\n" + host + host + "\r\n", "HTTP/1.1 400"},
      {"a key twice",
       "GET / HTTP/1.1\r\n" + host + "Authorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n",
       "HTTP/1.1 400"},
      {"a byte 0 in the path", "GET /healthz%00x HTTP/1.1\r\n" + host + "\r\n", "HTTP/1.1 400"},
      {"a byte 0 in an argument", "GET /?x=a%00b HTTP/1.1\r\n" + host + "\r\n", "HTTP/1.1 400"},
      {"a compressed body",
       "POST / HTTP/1.1\r\n" + host + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nab",
       "HTTP/1.1 415"},
      {"two lengths that differ",
       "GET / HTTP/1.1\r\n" + host + "Content-Length: 0\r\nContent-Length: 10\r\n\r\n",
       "HTTP/1.1 4"},
  };
  for (const Case& test : cases) {
    const int asked = asked_;
    const std::string answer = answer_to(test.bytes);
    EXPECT_THAT(answer, StartsWith(test.expected)) << test.why;
    EXPECT_THAT(answer, ::testing::Not(HasSubstr("stays open"))) << test.why;
    EXPECT_THAT(answer, ::testing::Not(HasSubstr("200 OK"))) << test.why;
    EXPECT_EQ(asked_, asked) << test.why << ": it reached a page";
  }
  EXPECT_EQ(get("/still")->body, "/still") << "the server still works";
}

TEST_F(HttpServerTest, EndsAConnectionThatSendsByteByByte) {
  HttpServerOptions options;
  options.timeout = std::chrono::seconds(1);
  start(options);
  const UniqueFd fd = connected();
  const std::string head = "GET /slow HTTP/1.1\r\nHost: localhost\r\nX: ";
  static_cast<void>(::send(fd.get(), head.data(), head.size(), MSG_NOSIGNAL));
  // Ten bytes per second: never silent for a tenth of the timeout.
  constexpr int kDripMs = 100;
  bool ended = false;
  for (int byte = 0; byte < 10 * kPatienceMs / 1000 && !ended; ++byte) {
    pollfd ask{fd.get(), POLLIN, 0};
    ended = ::poll(&ask, 1, kDripMs) == 1;
    if (!ended) static_cast<void>(::send(fd.get(), "a", 1, MSG_NOSIGNAL));
  }
  EXPECT_TRUE(ended);
  EXPECT_EQ(asked_, 0);
  EXPECT_EQ(get("/still")->body, "/still") << "a quick client is served";
}

TEST_F(HttpServerTest, AHeadRequestHasNoBody) {
  start();
  const std::string answer =
      answer_to("HEAD /page HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST_F(HttpServerTest, RefusesAReboundName) {
  start();
  for (const std::string page : {"/stat", "/hits", "/metrics", "/matches?digest=00", "/healthz"}) {
    const std::string answer =
        answer_to("GET " + page + " HTTP/1.1\r\nHost: rebind.evil.example:11340\r\n\r\n");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 421")) << page;
    EXPECT_THAT(answer, HasSubstr("http.listen")) << page;
  }
  EXPECT_EQ(asked_, 0);
  for (const std::string host : {"127.0.0.1:11340", "localhost:11340", "[::1]:11340"}) {
    EXPECT_THAT(answer_to("GET /metrics HTTP/1.1\r\nHost: " + host + "\r\n" + kClose + "\r\n"),
                StartsWith("HTTP/1.1 200"))
        << host;
  }
  EXPECT_THAT(answer_to("GET /metrics HTTP/1.0\r\n\r\n"), HasSubstr(" 200 OK"))
      << "a browser always sends a host";
}

TEST_F(HttpServerTest, AcceptsAnyNameOnAUnixSocket) {
  const std::string path = "/tmp/shingled-host-" + std::to_string(::getpid());
  HttpServerOptions options;
  options.listen = {{SocketSpec::Kind::kUnix, "", 0, path}};
  start(options);
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress address = *unix_address(path);
  ASSERT_EQ(::connect(fd.get(), address.get(), address.length()), 0);
  const std::string head = "GET /a HTTP/1.1\r\nHost: any.example\r\n" + kClose + "\r\n";
  static_cast<void>(::send(fd.get(), head.data(), head.size(), MSG_NOSIGNAL));
  EXPECT_THAT(read_all(fd), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, AnswersAnErrorIfAPageThrows) {
  start();
  EXPECT_EQ(get("/throw")->status, 500U);
  EXPECT_THAT(get("/throw")->body, HasSubstr("the server failed at this"));
  EXPECT_THAT(get("/throw")->body, Not(HasSubstr("as asked"))) << "not for what reason";
  EXPECT_EQ(get("/next")->body, "/next");
}

TEST_F(HttpServerTest, BoundsConnectionsOfOneAddress) {
  HttpServerOptions options;
  options.connections_max = 16;
  start(options);
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 8; ++i) silent.push_back(connected());
  // The ninth connection from this address is closed at once.
  EXPECT_EQ(answer_to("GET /full HTTP/1.1\r\nHost: localhost\r\n\r\n"), "");
  EXPECT_EQ(asked_, 0);
}

TEST_F(HttpServerTest, EndsASilentConnection) {
  HttpServerOptions options;
  options.timeout = std::chrono::seconds(1);
  start(options);
  const UniqueFd fd = connected();
  EXPECT_THAT(read_all(fd), ::testing::Not(HasSubstr("stays open")));
}

TEST(Endpoint, IsReadFromAUrl) {
  const struct {
    const char* url;
    const char* expected;  ///< socket, host, prefix, with or without TLS; "" = refused
  } cases[] = {
      {"https://mx.example.org", "inet:11340@mx.example.org mx.example.org  tls"},
      {"HTTPS://mx.example.org:443/shingled/",
       "inet:443@mx.example.org mx.example.org:443 /shingled tls"},
      {"http://[2001:db8::1]:80", "inet6:80@2001:db8::1 [2001:db8::1]:80  plain"},
      {"unix:/run/shingled/http.sock", "unix:/run/shingled/http.sock localhost  plain"},
      {"mx.example.org", ""},
      {"ftp://mx.example.org", ""},
      {"https://", ""},
      {"https://ann:secret@mx.example.org", ""},
      {"https://mx.example.org/?x=1", ""},
      {"https://mx.example.org/a b", ""},
      {"https://mx.example.org\r\nX: y", ""},
      {"https://mx.example.org:99999", ""},
  };
  for (const auto& test : cases) {
    const auto endpoint = parse_endpoint(test.url);
    EXPECT_EQ(endpoint ? endpoint->socket.to_string() + " " + endpoint->host + " " +
                             endpoint->prefix + (endpoint->tls ? " tls" : " plain")
                       : "",
              test.expected)
        << test.url;
  }
  EXPECT_EQ(percent_encoded("ann@x.org"), "ann%40x%2Eorg");
  EXPECT_EQ(percent_encoded("\xc3\xbc &"), "%C3%BC%20%26");
}

}  // namespace
}  // namespace shingled::milter::http
