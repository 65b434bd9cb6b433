#include "config/system/connect_socket.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <array>
#include <cerrno>

#include "config/system/stream_listener.h"

namespace shingled {
namespace {

TEST(SpecToConnect, HasLoopbackInPlaceOfAnyAddress) {
  constexpr std::array<std::array<const char*, 2>, 8> kCases = {{
      {"inet:7", "inet:7@127.0.0.1"},
      {"0.0.0.0:7", "inet:7@127.0.0.1"},
      {"inet6:7", "inet6:7@::1"},
      {"[::]:7", "inet6:7@::1"},
      {"192.0.2.1:7", "inet:7@192.0.2.1"},
      {"[2001:db8::1]:7", "inet6:7@2001:db8::1"},
      {"mail.example:7", "inet:7@mail.example"},
      {"unix:/run/x", "unix:/run/x"},
  }};
  for (const auto& [listens, reached] : kCases)
    EXPECT_EQ(spec_to_connect(*SocketSpec::parse(listens)).to_string(), reached);
}

class ConnectSocketTest : public ::testing::Test {
 protected:
  [[nodiscard]] TimePoint soon() const { return clock_.now() + std::chrono::seconds(20); }
  static StreamListener listener() {
    return *StreamListener::bind({*IpAddress::parse("127.0.0.1"), 0}, {.backlog = 4});
  }
  /// Where nobody listens: the port was the kernel's choice a moment ago.
  static SocketAddress nobody() {
    return bind_socket({*IpAddress::parse("127.0.0.1"), 0}, {})->address;
  }
  SystemClock clock_;
};

int option(int fd, int level, int name) {
  int value = 0;
  socklen_t length = sizeof value;
  EXPECT_EQ(::getsockopt(fd, level, name, &value, &length), 0);
  return value;
}

TEST_F(ConnectSocketTest, ConnectsWithTheOptionsThatWereAskedFor) {
  StreamListener server = listener();
  for (const bool on : {false, true}) {
    const auto fd =
        connect_within({server.address()}, {.no_delay = on, .keep_alive = on}, soon(), clock_);
    ASSERT_TRUE(fd) << fd.error().message;
    EXPECT_EQ(option(fd->get(), IPPROTO_TCP, TCP_NODELAY) != 0, on);
    EXPECT_EQ(option(fd->get(), SOL_SOCKET, SO_KEEPALIVE) != 0, on);
  }
}

TEST_F(ConnectSocketTest, TriesOneAddressAfterTheOther) {
  StreamListener server = listener();
  EXPECT_TRUE(connect_within({nobody(), server.address()}, {}, soon(), clock_));
  const auto refused = connect_within({nobody(), nobody()}, {}, soon(), clock_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), (Error{ErrorCode::kUnavailable, "Connection refused"}));
  EXPECT_EQ(connect_within({}, {}, soon(), clock_).error().code, ErrorCode::kUnavailable);
}

TEST_F(ConnectSocketTest, TellsWhatBecameOfAConnectionUnderWay) {
  StreamListener server = listener();
  for (const auto& [address, failure] :
       {std::pair(server.address(), 0), std::pair(nobody(), ECONNREFUSED)}) {
    const Connecting begun = begin_connect(address);
    if (begun.failure != EINPROGRESS) {  // loopback may answer at once
      EXPECT_EQ(begun.failure, failure);
      continue;
    }
    EXPECT_FALSE(begun.is_connected() || begun.has_failed());
    ASSERT_TRUE(wait_for(begun.fd.get(), POLLOUT, soon(), clock_));
    EXPECT_EQ(connect_failure(begun.fd.get()), failure);
  }
}

TEST_F(ConnectSocketTest, WaitsUntilTheDeadlineAndLooksOnceAfterIt) {
  StreamListener server = listener();
  const Status late = wait_for(server.fd(), POLLIN, clock_.now(), clock_);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), (Error{ErrorCode::kTimeout, "no answer in time"}));
  const auto caller = connect_within({server.address()}, {}, soon(), clock_);
  ASSERT_TRUE(caller);
  ASSERT_TRUE(wait_for(server.fd(), POLLIN, soon(), clock_));
  EXPECT_TRUE(wait_for(server.fd(), POLLIN, clock_.now() - std::chrono::hours(1), clock_));
}

}  // namespace
}  // namespace shingled
