// Covers config/system/listen_socket.cpp, config/system/bound_socket.cpp.
#include "config/system/listen_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "config/system/bound_socket.h"
#include "config/system/connect_socket.h"
#include "config/system/unix_address.h"

namespace shingled {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kOption = "milter.socket";

mode_t mode_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 0777U;
}

class ListeningSocketTest : public ::testing::Test {
 protected:
  ListeningSocketTest() {
    char name[] = "/tmp/shingled-socket-XXXXXX";
    directory_ = ::mkdtemp(name);
    spec_.kind = SocketSpec::Kind::kUnix;
    spec_.path = directory_ + "/milter.sock";
  }
  ~ListeningSocketTest() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] UniqueFd bind_unix() const {
    auto socket = bind_socket(*unix_address(spec_.path), {.backlog = 1});
    EXPECT_TRUE(socket);
    return std::move(socket->fd);
  }

  std::string directory_;
  SocketSpec spec_;
};

TEST_F(ListeningSocketTest, IsContentWithAFreePath) {
  EXPECT_TRUE(prepare_listening_socket(spec_, kOption).has_value());
  EXPECT_FALSE(std::filesystem::exists(spec_.path)) << "libmilter makes it";
}

TEST_F(ListeningSocketTest, RemovesTheSocketOfADeadProcess) {
  bind_unix().reset();
  ASSERT_TRUE(std::filesystem::exists(spec_.path));
  EXPECT_TRUE(prepare_listening_socket(spec_, kOption).has_value());
  EXPECT_FALSE(std::filesystem::exists(spec_.path));
}

TEST_F(ListeningSocketTest, LeavesTheSocketOfALivingProcessAlone) {
  const UniqueFd living = bind_unix();
  const Status status = prepare_listening_socket(spec_, kOption);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(status.error().message, HasSubstr(spec_.path));
  EXPECT_TRUE(std::filesystem::exists(spec_.path));
}

TEST_F(ListeningSocketTest, NeverRemovesAnythingButASocket) {
  std::ofstream(spec_.path) << "precious";
  const Status status = prepare_listening_socket(spec_, kOption);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(std::filesystem::exists(spec_.path));
}

TEST_F(ListeningSocketTest, NeverFollowsASymbolicLink) {
  std::filesystem::create_symlink(directory_ + "/elsewhere", spec_.path);
  EXPECT_FALSE(prepare_listening_socket(spec_, kOption).has_value());
  EXPECT_TRUE(std::filesystem::is_symlink(spec_.path));
}

TEST_F(ListeningSocketTest, TellsOfAMissingDirectoryAndALongPath) {
  spec_.path = directory_ + "/missing/milter.sock";
  EXPECT_EQ(prepare_listening_socket(spec_, kOption).error().code, ErrorCode::kNotFound);
  spec_.path = directory_ + "/" + std::string(200, 'x');
  EXPECT_EQ(prepare_listening_socket(spec_, kOption).error().code, ErrorCode::kInvalid);
}

TEST_F(ListeningSocketTest, NamesAPortInUse) {
  const auto taken = bind_socket({*IpAddress::parse("127.0.0.1"), 0}, {.backlog = 1});
  ASSERT_TRUE(taken);
  const std::uint16_t port = taken->address.port();
  const Status status =
      prepare_listening_socket({SocketSpec::Kind::kInet, "127.0.0.1", port, ""}, kOption);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(status.error().message, HasSubstr(std::to_string(port)));
}

TEST_F(ListeningSocketTest, SetsModeAndRefusesUnknownGroups) {
  const UniqueFd living = bind_unix();
  ASSERT_TRUE(set_socket_access(spec_, {0620, ""}, kOption).has_value());
  EXPECT_EQ(mode_of(spec_.path), 0620U);
  const Status status = set_socket_access(spec_, {0620, "no-such-group-here"}, kOption);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(),
            (Error{ErrorCode::kNotFound, "milter.socket_group no-such-group-here: no such group"}));
}

TEST_F(ListeningSocketTest, ListensOnAPathInPlaceOfADeadProcess) {
  bind_unix().reset();
  const auto listeners = listen_on(spec_, 8, {0640, ""}, kOption);
  ASSERT_TRUE(listeners) << listeners.error().message;
  ASSERT_EQ(listeners->size(), 1U);
  EXPECT_EQ(listeners->front().address().to_string(), spec_.to_string());
  EXPECT_EQ(mode_of(spec_.path), 0640U);
  EXPECT_TRUE(begin_connect(*unix_address(spec_.path)).is_connected());
}

TEST_F(ListeningSocketTest, ListensOnAPortThatTheKernelChooses) {
  const auto listeners = listen_on({SocketSpec::Kind::kInet, "127.0.0.1", 0, ""}, 8, {}, kOption);
  ASSERT_TRUE(listeners);
  EXPECT_NE(listeners->front().address().port(), 0);
}

TEST_F(ListeningSocketTest, ErrorsNameTheOptionAndThePlace) {
  const UniqueFd living = bind_unix();
  const auto listeners = listen_on(spec_, 8, {}, "http.listen");
  ASSERT_FALSE(listeners);
  EXPECT_EQ(listeners.error().message,
            "http.listen unix:" + spec_.path + ": in use by a running process");
}

// Its process lives, although it is slow: the next connection would wait.
TEST_F(ListeningSocketTest, LeavesASocketAloneWhoseQueueIsFull) {
  const auto living = bind_socket(*unix_address(spec_.path), {.backlog = 1});
  ASSERT_TRUE(living);
  std::vector<Connecting> waiting;
  do {
    waiting.push_back(begin_connect(*unix_address(spec_.path)));
  } while (waiting.back().is_connected());
  const Status status = prepare_listening_socket(spec_, kOption);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("in use by a running process"));
}

}  // namespace
}  // namespace shingled
