#include "config/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace shingled {
namespace {

/// 1, 2, 3, ...
class Counting final : public Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) byte = ++last_;
  }

 private:
  std::uint8_t last_ = 0;
};

TEST(Random, MakesNumbersOfFreshBytes) {
  Counting random;
  EXPECT_EQ(random.next_u32(), 0x04030201U);
  EXPECT_EQ(random.next_u64(), 0x0c0b0a0908070605U);
}

TEST(SystemRandom, FillsAllBytesAndDiffersEachTime) {
  SystemRandom random;
  std::array<std::uint8_t, 1024> one{};
  std::array<std::uint8_t, 1024> two{};
  random.fill(one);
  random.fill(two);
  EXPECT_NE(one, two);
  EXPECT_LT(std::count(one.end() - 64, one.end(), 0), 32) << "the last bytes, too";
}

}  // namespace
}  // namespace shingled
