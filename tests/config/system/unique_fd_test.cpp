#include "config/system/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

namespace shingled {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

TEST(UniqueFd, ClosesItsDescriptorOnce) {
  int number = -1;
  {
    UniqueFd first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = first.get();
    ASSERT_TRUE(is_open(number));
    const UniqueFd second = std::move(first);
    EXPECT_EQ(second.get(), number);
    EXPECT_TRUE(is_open(number)) << "it has moved";
  }
  EXPECT_FALSE(is_open(number));
}

TEST(UniqueFd, IsClosedByReset) {
  UniqueFd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int number = fd.get();
  fd.reset();
  EXPECT_FALSE(is_open(number));
  EXPECT_LT(fd.get(), 0);
}

}  // namespace
}  // namespace shingled
