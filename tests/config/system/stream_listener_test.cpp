// Covers bound_socket, too.
#include "config/system/stream_listener.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>

#include <variant>

#include "config/system/connect_socket.h"

namespace shingled {
namespace {

SocketAddress any_port(const char* ip = "127.0.0.1") { return {*IpAddress::parse(ip), 0}; }

TEST(StreamListener, TakesConnectionsAndSaysWhenNobodyWaits) {
  auto listener = StreamListener::bind(any_port(), {});
  ASSERT_TRUE(listener);
  EXPECT_NE(listener->address().port(), 0) << "the kernel's choice";
  ASSERT_TRUE(listener->listen(4));
  EXPECT_EQ(std::get<StreamListener::None>(listener->accept()), StreamListener::None::kNobody);
  const Connecting caller = begin_connect(listener->address());
  pollfd called{listener->fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&called, 1, -1), 1);
  const auto next = listener->accept();
  const auto* const accepted = std::get_if<StreamListener::Accepted>(&next);
  ASSERT_NE(accepted, nullptr);
  EXPECT_EQ(accepted->peer, address_of_socket(caller.fd.get()));
}

// Looking again at once would be in vain: a loop over connections that ended would spin.
TEST(StreamListener, AnErrorThatIsNotOfOneConnectionIsNoneThatIsGone) {
  auto listener = StreamListener::bind(any_port(), {});
  ASSERT_TRUE(listener);
  EXPECT_EQ(std::get<StreamListener::None>(listener->accept()), StreamListener::None::kNoResources)
      << "it does not listen: EINVAL";
}

TEST(BoundSocket, ErrorsSayWhatWasBeingDone) {
  const auto taken = bind_socket(any_port(), {.backlog = 1});
  ASSERT_TRUE(taken);
  const SocketAddress elsewhere(*IpAddress::parse("192.0.2.1"), 0);
  const SocketAddress nameless;
  struct Case {
    const SocketAddress& address;
    BindOptions options;
    const char* message;
  };
  for (const Case& c : {
           Case{taken->address, {}, "bind: Address already in use"},
           Case{taken->address, {.binding = "binding"}, "binding: Address already in use"},
           Case{elsewhere, {.type = SOCK_DGRAM}, "bind: Cannot assign requested address"},
           Case{taken->address, {.more = {{SOL_SOCKET, -1}}}, "setsockopt: Protocol not available"},
           Case{nameless, {.making = "making"}, "making: Address family not supported by protocol"},
       }) {
    const auto socket = bind_socket(c.address, c.options);
    ASSERT_FALSE(socket) << c.message;
    EXPECT_EQ(socket.error(), (Error{ErrorCode::kUnavailable, c.message}));
  }
}

TEST(BoundSocket, DoesWithoutAnOptionThatIsNotNeeded) {
  EXPECT_TRUE(bind_socket(any_port(), {.more = {{SOL_SOCKET, -1, 1, false}}}));
}

TEST(BoundSocket, AnIpv6SocketLeavesIpv4ToOthersUnlessItIsAskedFor) {
  const auto v6 = bind_socket(any_port("::"), {.backlog = 1});
  if (!v6) GTEST_SKIP() << "no IPv6 here";
  const SocketAddress v4(*IpAddress::parse("0.0.0.0"), v6->address.port());
  EXPECT_TRUE(bind_socket(v4, {.backlog = 1}));
  const auto both = bind_socket(any_port("::"), {.backlog = 1, .takes_ipv4 = true});
  ASSERT_TRUE(both);
  const SocketAddress taken(*IpAddress::parse("0.0.0.0"), both->address.port());
  EXPECT_FALSE(bind_socket(taken, {.backlog = 1}));
}

}  // namespace
}  // namespace shingled
