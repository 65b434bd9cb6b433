#include "storage/access/network_set.h"

#include <gtest/gtest.h>

#include <random>

namespace shingled::storage::access {
namespace {

TEST(NetworkSet, IsEmptyWithoutNetworks) {
  EXPECT_TRUE(NetworkSet().empty());
  EXPECT_FALSE(NetworkSet().contains(*IpAddress::parse("127.0.0.1")));
  EXPECT_FALSE(NetworkSet({*Network::parse("10.0.0.0/8")}).empty());
}

TEST(NetworkSet, ContainsEveryAddressOfAZeroPrefix) {
  const NetworkSet all_v4({*Network::parse("0.0.0.0/0")});
  EXPECT_TRUE(all_v4.contains(*IpAddress::parse("203.0.113.9")));
  EXPECT_FALSE(all_v4.contains(*IpAddress::parse("2001:db8::1")));
}

TEST(NetworkSet, AgreesWithALinearSearch) {
  std::mt19937 random(1);
  const auto address = [&] {
    IpAddress ip;
    const bool v6 = random() % 2 == 0;
    ip.family = v6 ? IpAddress::Family::kV6 : IpAddress::Family::kV4;
    // Use few different bytes, so that many addresses are in a network.
    for (std::size_t i = 0; i < (v6 ? 16U : 4U); ++i)
      ip.bytes[i] = static_cast<std::uint8_t>(random() % 3 * 0x55);
    return ip;
  };
  int inside = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<Network> list;
    for (std::size_t i = 0; i < random() % 100; ++i) {
      const IpAddress ip = address();
      list.push_back(
          Network::of(ip, static_cast<int>(random() % (static_cast<unsigned>(ip.bits()) + 1))));
    }
    const NetworkSet set(list);
    for (int i = 0; i < 200; ++i) {
      const IpAddress ip = address();
      const bool expected = contains(list, ip);
      inside += expected ? 1 : 0;
      ASSERT_EQ(set.contains(ip), expected) << ip.to_string();
    }
  }
  EXPECT_GT(inside, 100) << "both results occur";
}

}  // namespace
}  // namespace shingled::storage::access
