// Covers milter/peers/peer_desk.cpp, milter/api/client/client_key.cpp.
#include "milter/peers/peer_desk.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "milter/api/reply.h"
#include "milter/http/http_server.h"
#include "tests/support/tcp_listener.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::peers {
namespace {

TEST(PeerDesk, HasAnAnswerOfEachWhateverItIs) {
  SystemClock clock;
  SystemRandom random;
  http::HttpServerOptions options;
  options.listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 0, ""}};
  options.access.local = http::Role::kChange;
  options.body_bytes_max = 4096;
  std::string asked;
  const auto server = http::HttpServer::start(
      options,
      [&](const http::HttpRequest& request) {
        asked = request.path;
        return api::json_reply({{"messages", Json::array()}});
      },
      clock, random);
  ASSERT_TRUE(server);
  const std::string address = (*server)->addresses().front();
  const testing::TemporaryDirectory folder;
  HistoryOptions history;
  history.peers = {"http://" + address, "unix:" + folder.file("nobody.sock"), "http://:nonsense"};
  PeerDesk desk(clock);
  EXPECT_TRUE(desk.ask("/x").empty());
  desk.use(history);
  const auto answers = desk.ask("/api/1/messages?peers=no");
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0].host, address);
  EXPECT_TRUE(answers[0].answer) << answers[0].answer.error().message;
  EXPECT_EQ(asked, "/api/1/messages");
  EXPECT_FALSE(answers[1].answer);
  EXPECT_FALSE(answers[2].answer);
  history.peers_key_file = folder.file("no.key");
  desk.use(history);
  EXPECT_FALSE(desk.ask("/x")[0].answer) << "a key that cannot be read";
}

}  // namespace
}  // namespace shingled::milter::peers
