#include "milter/process/service_manager.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "config/system/unique_fd.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::process {
namespace {

/// Where systemd would listen.
class ServiceManagerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = directory_.file("notify");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof address.sun_path);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    socket_ = UniqueFd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    ASSERT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
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

TEST_F(ServiceManagerTest, HearsThatALongStartNeedsMoreTime) {
  notify_starting("loading 65536 of 7000000 hashes", std::chrono::seconds(120));
  EXPECT_EQ(heard(), "EXTEND_TIMEOUT_USEC=120000000\nSTATUS=loading 65536 of 7000000 hashes");
  notify_ready("serving");
  EXPECT_EQ(heard(), "READY=1\nSTATUS=serving");
}

}  // namespace
}  // namespace shingled::milter::process
