#include "config/base/outage.h"

#include <gtest/gtest.h>

namespace shingled {
namespace {

TEST(Outage, BeginsOnceAndEndsOnce) {
  Outage outage;
  EXPECT_FALSE(outage.lasts());
  EXPECT_FALSE(outage.end());
  EXPECT_TRUE(outage.begin());
  EXPECT_FALSE(outage.begin());
  EXPECT_TRUE(outage.lasts());
  EXPECT_TRUE(outage.end());
  EXPECT_FALSE(outage.end());
  EXPECT_TRUE(outage.begin()) << "the next one";
}

}  // namespace
}  // namespace shingled
