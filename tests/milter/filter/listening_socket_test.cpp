#include "milter/filter/listening_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "config/system/unique_fd.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::filter {
namespace {

using ::testing::HasSubstr;

class ListeningSocketTest : public ::testing::Test {
 protected:
  ListeningSocketTest() {
    spec_.kind = SocketSpec::Kind::kUnix;
    spec_.path = directory_ + "/milter.sock";
  }

  [[nodiscard]] UniqueFd bind_unix() const {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, spec_.path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(fd.get(), 1), 0);
    return fd;
  }

  const shingled::testing::TemporaryDirectory folder_;
  const std::string directory_ = folder_.path();
  SocketSpec spec_;
};

TEST_F(ListeningSocketTest, IsContentWithAFreePath) {
  EXPECT_TRUE(prepare_listening_socket(spec_).has_value());
  EXPECT_FALSE(std::filesystem::exists(spec_.path)) << "libmilter makes it";
}

TEST_F(ListeningSocketTest, RemovesTheSocketOfADeadProcess) {
  bind_unix().reset();
  ASSERT_TRUE(std::filesystem::exists(spec_.path));
  EXPECT_TRUE(prepare_listening_socket(spec_).has_value());
  EXPECT_FALSE(std::filesystem::exists(spec_.path));
}

TEST_F(ListeningSocketTest, LeavesTheSocketOfALivingProcessAlone) {
  const UniqueFd living = bind_unix();
  const Status status = prepare_listening_socket(spec_);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(status.error().message, HasSubstr(spec_.path));
  EXPECT_TRUE(std::filesystem::exists(spec_.path));
}

TEST_F(ListeningSocketTest, NeverRemovesAnythingButASocket) {
  std::ofstream(spec_.path) << "precious";
  const Status status = prepare_listening_socket(spec_);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(std::filesystem::exists(spec_.path));
}

TEST_F(ListeningSocketTest, NeverFollowsASymbolicLink) {
  std::filesystem::create_symlink(directory_ + "/elsewhere", spec_.path);
  EXPECT_FALSE(prepare_listening_socket(spec_).has_value());
  EXPECT_TRUE(std::filesystem::is_symlink(spec_.path));
}

TEST_F(ListeningSocketTest, TellsOfAMissingDirectoryAndALongPath) {
  spec_.path = directory_ + "/missing/milter.sock";
  EXPECT_EQ(prepare_listening_socket(spec_).error().code, ErrorCode::kNotFound);
  spec_.path = directory_ + "/" + std::string(200, 'x');
  EXPECT_EQ(prepare_listening_socket(spec_).error().code, ErrorCode::kInvalid);
}

TEST_F(ListeningSocketTest, NamesAPortInUse) {
  const UniqueFd taken(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress any(*IpAddress::parse("127.0.0.1"), 0);
  ASSERT_EQ(::bind(taken.get(), any.get(), any.length()), 0);
  ASSERT_EQ(::listen(taken.get(), 1), 0);
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  ::getsockname(taken.get(), reinterpret_cast<sockaddr*>(&bound), &length);
  const std::uint16_t port =
      SocketAddress(reinterpret_cast<const sockaddr*>(&bound), length).port();
  const Status status = prepare_listening_socket({SocketSpec::Kind::kInet, "127.0.0.1", port, ""});
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(status.error().message, HasSubstr(std::to_string(port)));
}

bool sends_without_delay(int fd) {
  int on = 0;
  socklen_t length = sizeof on;
  return ::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, &length) == 0 && on != 0;
}

TEST_F(ListeningSocketTest, AcceptedConnectionsSendWithoutDelay) {
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress any(*IpAddress::parse("127.0.0.1"), 0);
  ASSERT_EQ(::bind(listener.get(), any.get(), any.length()), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  const UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));

  send_without_delay();

  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&bound), &length);
  ASSERT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&bound), length), 0);
  const UniqueFd accepted(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_TRUE(sends_without_delay(accepted.get()));
  EXPECT_FALSE(sends_without_delay(client.get())) << "what does not listen is left alone";
}

TEST_F(ListeningSocketTest, SetsModeAndRefusesUnknownGroups) {
  const UniqueFd living = bind_unix();
  MilterOptions options;
  options.socket = spec_;
  options.socket_mode = 0620;
  ASSERT_TRUE(set_socket_access(options).has_value());
  struct stat info {};
  ASSERT_EQ(::stat(spec_.path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0620U);
  options.socket_group = "no-such-group-here";
  EXPECT_EQ(set_socket_access(options).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace shingled::milter::filter
