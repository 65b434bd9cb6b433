// Covers milter/http/streamed_response.cpp, too: streams of events over a real server.
#include "milter/http/event_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "milter/http/http_server.h"
#include "tests/milter/http/raw_http.h"

namespace shingled::milter::http {
namespace {

using shingled::testing::RawHttp;
using ::testing::EndsWith;
using ::testing::HasSubstr;

EventStream::Text text(std::string value) {
  return std::make_shared<const std::string>(std::move(value));
}

TEST(EventStream, GivesWhatWasSentAndParksInBetween) {
  EventStream stream;
  int parked = 0;
  int resumed = 0;
  const auto park = [&] { ++parked; };
  stream.attach([&] { ++resumed; }, [] { return false; });
  EXPECT_EQ(stream.take(park), "");
  stream.end_if_left();
  EXPECT_EQ(parked, 1);
  EXPECT_TRUE(stream.send(text("a")));
  EXPECT_TRUE(stream.send(text("b")));
  EXPECT_EQ(resumed, 1) << "it is not parked any more";
  EXPECT_EQ(stream.take(park), "a");
  stream.end();
  EXPECT_FALSE(stream.send(text("c")));
  EXPECT_EQ(stream.take(park), "b") << "what waits is given before the end";
  EXPECT_EQ(stream.take(park), std::nullopt);
  EXPECT_EQ(parked, 1);
  EXPECT_FALSE(stream.was_too_slow());
}

TEST(EventStream, CutsOffWhoIsTooSlow) {
  EventStream many;
  for (std::size_t i = 0; i < EventStream::kTextsMax; ++i) EXPECT_TRUE(many.send(text("a")));
  EXPECT_FALSE(many.send(text("a")));
  EXPECT_TRUE(many.was_too_slow());
  EXPECT_EQ(many.take([] {}), std::nullopt);
  EventStream large;
  EXPECT_TRUE(large.send(text(std::string(EventStream::kBytesMax, 'a'))));
  EXPECT_FALSE(large.send(text("a")));
}

TEST(EventStream, NothingIsResumedAfterTheConnection) {
  EventStream stream;
  int resumed = 0;
  stream.attach([&] { ++resumed; }, [] { return true; });
  EXPECT_EQ(stream.take([] {}), "");
  stream.detach();
  stream.end_if_left();
  EXPECT_FALSE(stream.send(text("a")));
  stream.cut();
  EXPECT_EQ(resumed, 0);
}

class EventServerTest : public ::testing::Test {
 protected:
  void start(std::chrono::seconds timeout = std::chrono::seconds(10)) {
    HttpServerOptions options;
    options.listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 0, ""}};
    options.connections_max = 800;  // an eighth for one address
    options.timeout = timeout;
    auto server = HttpServer::start(
        options,
        [this](const HttpRequest& request) {
          HttpReply reply{.type = "text/event-stream", .body = "begin\n"};
          if (request.path != "/events") return HttpReply{.body = "other"};
          reply.events = std::make_shared<EventStream>();
          const MutexLock lock(mutex_);
          streams_.push_back(reply.events);
          return reply;
        },
        clock_, random_);
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
    place_ = *SocketSpec::parse(server_->addresses().front());
  }
  std::unique_ptr<RawHttp> listen() {
    auto out = std::make_unique<RawHttp>(place_);
    out->send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(out->read("begin\n\r\n"), HasSubstr("text/event-stream"));
    return out;
  }
  std::shared_ptr<EventStream> stream(std::size_t place = 0) {
    const MutexLock lock(mutex_);
    return streams_.at(place);
  }

  SystemClock clock_;
  SystemRandom random_;
  Mutex mutex_;
  std::vector<std::shared_ptr<EventStream>> streams_;
  std::unique_ptr<HttpServer> server_;
  SocketSpec place_;
};

TEST_F(EventServerTest, SendsEventsAsTheyComeAndThenTheNextReply) {
  start();
  const auto reader = listen();
  for (const char* event : {"one\n", "two\n", "three\n"}) {
    EXPECT_TRUE(stream()->send(text(event)));
    EXPECT_THAT(reader->read(std::string(event) + "\r\n"), EndsWith(std::string(event) + "\r\n"));
  }
  stream()->end();
  EXPECT_THAT(reader->read("0\r\n\r\n"), EndsWith("0\r\n\r\n"));
  reader->send("GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(reader->read("other"), EndsWith("other")) << "the connection goes on";
}

TEST_F(EventServerTest, WaitsLongerThanAConnectionMay) {
  start(std::chrono::seconds(1));
  const auto reader = listen();
  // Others come and go for longer than the time of a connection.
  const TimePoint end = clock_.now() + std::chrono::seconds(3);
  while (clock_.now() < end) {
    const RawHttp other(place_);
    other.send("GET /other HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(other.read(), EndsWith("other"));
  }
  EXPECT_TRUE(stream()->send(text("late\n")));
  EXPECT_THAT(reader->read("late\n\r\n"), EndsWith("late\n\r\n"));
}

TEST_F(EventServerTest, AReaderWhoHasGoneMakesRoomBeforeTheNextEvent) {
  start();
  std::vector<std::unique_ptr<RawHttp>> readers;
  for (int i = 0; i < 100; ++i) readers.push_back(listen());  // as many as one address may have
  for (std::size_t i = 0; i < readers.size(); ++i) stream(i)->end_if_left();
  EXPECT_TRUE(stream(0)->is_open());
  readers.clear();
  for (std::size_t i = 0; i < 100; ++i)
    while (stream(i)->is_open()) stream(i)->end_if_left();
  // The server closes them one after another.
  std::string reply;
  while (!reply.ends_with("other")) {
    const RawHttp other(place_);
    other.send("GET /other HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    reply = other.read();
  }
}

TEST_F(EventServerTest, EndsWithTheServer) {
  start();
  const auto waiting = listen();
  const auto told = listen();
  stream(1)->send(text("last\n"));
  server_.reset();
  // The server need not wait until a reader has taken everything.
  for (const auto* reader : {&waiting, &told})
    EXPECT_EQ((*reader)->read().find("(the connection stays open)"), std::string::npos);
  EXPECT_FALSE(stream()->send(text("more\n")));
}

TEST_F(EventServerTest, AReaderThatDoesNotReadIsCutOff) {
  start(std::chrono::seconds(1));
  const auto reader = listen();
  const auto block = text(std::string(60'000, 'x'));
  // Until the buffers of the kernel and the queue are full, or its time is over.
  while (stream()->send(block)) {
  }
  EXPECT_FALSE(stream()->is_open());
  const std::string rest = reader->read();
  EXPECT_EQ(rest.find("(the connection stays open)"), std::string::npos);
}

TEST_F(EventServerTest, HeadGetsNoStream) {
  start();
  const RawHttp reader(place_);
  reader.send("HEAD /events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(reader.read(), EndsWith("\r\n\r\n"));
}

TEST_F(EventServerTest, ManyReadersComeAndGoWhileEventsAreSent) {
  start();
  std::atomic<bool> stop{false};
  std::jthread sender([&] {
    while (!stop) {
      std::vector<std::shared_ptr<EventStream>> streams;
      {
        const MutexLock lock(mutex_);
        streams = streams_;
      }
      for (const auto& one : streams) one->send(text("event\n"));
    }
  });
  std::vector<std::future<void>> readers;
  for (int thread = 0; thread < 4; ++thread) {
    readers.push_back(std::async(std::launch::async, [&] {
      for (int i = 0; i < 50; ++i) {
        const RawHttp reader(place_);
        reader.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        if (i % 2 == 0) {
          EXPECT_THAT(reader.read("event\n\r\n"), HasSubstr("event"));
        }
      }
    }));
  }
  for (auto& reader : readers) reader.get();
  server_.reset();
  stop = true;
}

}  // namespace
}  // namespace shingled::milter::http
