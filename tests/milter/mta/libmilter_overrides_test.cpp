#include "milter/mta/libmilter_overrides.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <variant>

#include "config/system/connect_socket.h"
#include "config/system/stream_listener.h"

// As libmilter's engine calls them.
extern "C" {
char* mi_rd_cmd(int descriptor, timeval* timeout, char* letter, std::size_t* length, char* name);
int mi_wr_cmd(int descriptor, timeval* timeout, int letter, char* data, std::size_t length);
}

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

/// A command or an answer as it is on the wire.
std::string packet(char letter) { return {0, 0, 0, 1, letter}; }

// What libmilter does in the thread of a connection: it reads, the callback runs, it answers and
// reads again.
TEST(AfterAnswer, IsBetweenTheAnswerAndTheNextCommand) {
  set_wire({.acknowledge = false, .command_max = 1000});
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const std::string commands = packet('E') + packet('A');
  ASSERT_EQ(::send(ends[1], commands.data(), commands.size(), 0), 10);
  timeval patience{30, 0};
  char letter = 0;
  std::size_t length = 0;
  std::free(::mi_rd_cmd(ends[0], &patience, &letter, &length, nullptr));
  ASSERT_EQ(letter, 'E');
  std::string answer(5, ' ');
  bool done = false;
  after_answer([&] {
    done = true;
    EXPECT_EQ(::recv(ends[1], answer.data(), answer.size(), MSG_DONTWAIT), 5) << "not sent yet";
  });
  EXPECT_FALSE(done);
  ASSERT_EQ(::mi_wr_cmd(ends[0], &patience, 'c', nullptr, 0), 0);
  EXPECT_FALSE(done) << "the answer is on its way first";
  std::free(::mi_rd_cmd(ends[0], &patience, &letter, &length, nullptr));
  EXPECT_TRUE(done);
  EXPECT_EQ(letter, 'A');
  EXPECT_EQ(answer, packet('c'));
  done = false;
  after_answer([&] { done = true; });
  EXPECT_FALSE(done);
  leave_connection();
  EXPECT_TRUE(done) << "a connection that ends";
  for (const int end : ends) ::close(end);
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
