#include "milter/mta/libmilter_overrides.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <variant>

#include "config/system/connect_socket.h"
#include "config/system/stream_listener.h"

namespace shingled::milter::mta {
namespace {

bool sends_without_delay(int fd) {
  int on = 0;
  socklen_t length = sizeof on;
  return ::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, &length) == 0 && on != 0;
}

TEST(SendWithoutDelay, AppliesToAcceptedConnections) {
  auto listener = StreamListener::bind({*IpAddress::parse("127.0.0.1"), 0}, {.backlog = 1});
  ASSERT_TRUE(listener);
  send_without_delay();
  const Connecting client = begin_connect(listener->address());
  ASSERT_FALSE(client.has_failed());
  pollfd called{listener->fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&called, 1, -1), 1);
  const auto next = listener->accept();
  const auto* const accepted = std::get_if<StreamListener::Accepted>(&next);
  ASSERT_NE(accepted, nullptr);
  EXPECT_TRUE(sends_without_delay(accepted->fd.get()));
  EXPECT_FALSE(sends_without_delay(client.fd.get()))
      << "a socket that does not listen stays as it is";
}

TEST(AfterAnswer, IsAtOnceWithoutAConnectionOfOurs) {
  bool done = false;
  after_answer([&] { done = true; });
  EXPECT_TRUE(done);
}

TEST(AcknowledgeCommands, SaysWhyItHasNoEffect) {
  const int original = 0;
  const int ours = 0;
  EXPECT_EQ(why_not_acknowledging(&original, &ours, &ours), "");
  EXPECT_NE(why_not_acknowledging(nullptr, &ours, &ours), "") << "another libmilter";
  EXPECT_NE(why_not_acknowledging(&original, &original, &ours), "")
      << "a program that was linked so that libraries do not see its functions";
  EXPECT_EQ(why_not_acknowledging(), "") << "this one";
}

}  // namespace
}  // namespace shingled::milter::mta
