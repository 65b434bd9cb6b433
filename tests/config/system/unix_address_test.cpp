#include "config/system/unix_address.h"

#include <gtest/gtest.h>

namespace shingled {
namespace {

TEST(UnixAddress, HoldsAPathOfAtMost107Bytes) {
  const std::string longest = "/" + std::string(106, 'x');
  const auto address = unix_address(longest);
  ASSERT_TRUE(address);
  EXPECT_EQ(address->family(), AF_UNIX);
  EXPECT_EQ(address->to_string(), "unix:" + longest);
  EXPECT_EQ(unix_address(longest + "x").error().code, ErrorCode::kInvalid);
  EXPECT_EQ(unix_address("").error().code, ErrorCode::kInvalid);
}

TEST(UnixAddress, APlaceIsAPathOrAHost) {
  const auto path = addresses_of(*SocketSpec::parse("unix:/run/x.sock"));
  ASSERT_TRUE(path);
  ASSERT_EQ(path->size(), 1U);
  EXPECT_EQ(path->front().to_string(), "unix:/run/x.sock");
  const auto host = addresses_of(*SocketSpec::parse("192.0.2.1:25"));
  ASSERT_TRUE(host);
  ASSERT_EQ(host->size(), 1U);
  EXPECT_EQ(host->front().to_string(), "192.0.2.1:25");
}

}  // namespace
}  // namespace shingled
