#include "milter/process/process_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "config/system/bound_socket.h"
#include "config/system/unique_fd.h"
#include "config/system/unix_address.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::process {
namespace {

/// The socket on which systemd would listen.
class ServiceManagerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = directory_.file("notify");
    auto bound = bind_socket(*unix_address(path), {.type = SOCK_DGRAM});
    ASSERT_TRUE(bound);
    socket_ = std::move(bound->fd);
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  void TearDown() override { ::unsetenv("NOTIFY_SOCKET"); }
  std::string heard() {
    std::array<char, 512> text{};
    const ssize_t size = ::recv(socket_.get(), text.data(), text.size(), 0);
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

  shingled::testing::TemporaryDirectory directory_;
  UniqueFd socket_;
};

TEST_F(ServiceManagerTest, IsToldThatALongStartNeedsMoreTime) {
  notify_starting("loading 65536 of 7000000 hashes", std::chrono::seconds(120));
  EXPECT_EQ(heard(), "EXTEND_TIMEOUT_USEC=120000000\nSTATUS=loading 65536 of 7000000 hashes");
  notify_ready("serving");
  EXPECT_EQ(heard(), "READY=1\nSTATUS=serving");
}

TEST(PidFile, IsHeldByOneProcessAndRemovedAtTheEnd) {
  const shingled::testing::TemporaryDirectory directory;
  const std::string path = directory.file("pid");
  {
    const auto file = PidFile::create(path);
    ASSERT_TRUE(file.has_value());
    const auto second = PidFile::create(path);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(second.error().message, ::testing::HasSubstr(path));
    EXPECT_TRUE(std::filesystem::exists(path)) << "the second process does not remove it";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace shingled::milter::process
