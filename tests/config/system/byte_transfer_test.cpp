#include "config/system/byte_transfer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>

#include "config/system/unique_fd.h"

namespace shingled {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 30s;

std::pair<UniqueFd, UniqueFd> socket_pair() {
  std::array<int, 2> fds{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()), 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

/// More than any buffer of the kernel for a socket or a pipe.
std::string long_text() {
  std::string text(16UL * 1024 * 1024, 'x');
  for (std::size_t i = 0; i < text.size(); i += 4096) text[i] = static_cast<char>('a' + i % 23);
  return text;
}

std::string read_to_end(int fd) {
  std::string out;
  std::array<char, 65536> buffer{};
  for (ssize_t count = 1; count > 0;) {
    count = ::read(fd, buffer.data(), buffer.size());
    if (count > 0) out.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return out;
}

TEST(ByteTransfer, SomeNeverWaits) {
  auto [ours, theirs] = socket_pair();
  std::array<std::uint8_t, 16> into{};
  const auto nothing = receive_some(ours.get(), into);
  ASSERT_TRUE(nothing);
  EXPECT_EQ(*nothing, std::nullopt) << "nothing has been sent";

  const std::string text = long_text();
  BytesView rest = as_bytes(text);
  for (std::size_t sent = 1; sent > 0;) {
    const auto count = send_some(ours.get(), rest);
    ASSERT_TRUE(count);
    sent = *count;
    rest = rest.subspan(sent);
  }
  EXPECT_FALSE(rest.empty()) << "the socket took more than it can hold";
  const auto got = receive_some(theirs.get(), into);
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, into.size());
  EXPECT_EQ(std::string(into.begin(), into.end()), text.substr(0, into.size()));
}

TEST(ByteTransfer, TheEndIsZeroBytesAndSendingThenIsAnError) {
  auto [ours, theirs] = socket_pair();
  theirs.reset();
  std::array<std::uint8_t, 16> into{};
  const auto end = receive_some(ours.get(), into);
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, std::size_t{0});
  const SystemClock clock;
  for (const Status& sent : {send_all(ours.get(), as_bytes("x"), clock.now() + kPatience, clock),
                             write_all(-1, as_bytes("x"))}) {
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, ErrorCode::kUnavailable);
  }
  EXPECT_EQ(send_some(ours.get(), as_bytes("x")).error().message, "Broken pipe");
  EXPECT_EQ(receive_some(-1, into).error().message, "Bad file descriptor");
}

TEST(ByteTransfer, AllIsSentToASlowReaderOrEndsAtTheDeadline) {
  auto [ours, theirs] = socket_pair();
  const SystemClock clock;
  const std::string text = long_text();
  const Status late = send_all(ours.get(), as_bytes(text), clock.now(), clock);
  ASSERT_FALSE(late) << "nobody reads";
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);

  auto [sender, reader] = socket_pair();
  std::string received;
  {
    const std::jthread reading([&, fd = reader.get()] { received = read_to_end(fd); });
    EXPECT_TRUE(send_all(sender.get(), as_bytes(text), clock.now() + kPatience, clock));
    sender.reset();
  }
  EXPECT_EQ(received, text);
}

TEST(ByteTransfer, SignalsLoseNothingOfAWrite) {
  struct sigaction action {};
  action.sa_handler = [](int) {};  // without SA_RESTART
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  std::array<int, 2> fds{};
  ASSERT_EQ(::pipe2(fds.data(), O_CLOEXEC), 0);
  const UniqueFd reader(fds[0]);
  UniqueFd writer(fds[1]);
  const std::string text = long_text();
  std::atomic<bool> written = false;
  std::string received;
  {
    std::jthread writing([&] {
      EXPECT_TRUE(write_all(writer.get(), as_bytes(text)));
      written = true;
      writer.reset();
    });
    // The pipe is full: the write waits, and each signal interrupts it.
    const std::jthread interrupting([&, thread = writing.native_handle()] {
      for (int i = 0; i < 100 && !written; ++i) ::pthread_kill(thread, SIGUSR1);
      received = read_to_end(reader.get());
    });
  }
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(received, text);
}

}  // namespace
}  // namespace shingled
