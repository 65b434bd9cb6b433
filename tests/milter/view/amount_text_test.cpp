#include "milter/view/amount_text.h"

#include <gtest/gtest.h>

namespace shingled::milter::view {
namespace {

TEST(AmountText, IsForPeople) {
  EXPECT_EQ(seconds_text(0.00025), "0.250 ms");
  EXPECT_EQ(seconds_text(1.5), "1.5 s");
  EXPECT_EQ(seconds_text(200), "3 min");
  EXPECT_EQ(seconds_text(8000), "2 h");
  EXPECT_EQ(seconds_text(500'000), "5 d");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(4096), "4.0 KiB");
  EXPECT_EQ(bytes_text(1.5 * 1024 * 1024), "1.5 MiB");
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'000), "1,000");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
}

}  // namespace
}  // namespace shingled::milter::view
