// Covers storage/access/network_set.cpp.
#include <gtest/gtest.h>

#include "storage/access/network_set.h"

namespace shingled::storage::access {
namespace {

TEST(SourceName, IsFoundInTheNetworksThatMayUpdate) {
  const struct {
    const char* why;
    const char* address;
    const char* network;
    bool found;
  } cases[] = {
      {"loopback in the default network", "127.0.0.1", "127.0.0.0/8", true},
      {"a single address", "192.0.2.7", "192.0.2.7", true},
      {"the first address of a network", "192.0.2.0", "192.0.2.0/24", true},
      {"the last address of a network", "192.0.2.255", "192.0.2.0/24", true},
      {"a network of 512 addresses", "198.51.101.3", "198.51.100.0/23", true},
      {"another network", "192.0.3.1", "192.0.2.0/24", false},
      {"beyond the addresses that are tried", "10.200.0.1", "10.0.0.0/8", false},
      {"the highest address of all", "255.255.255.255", "255.255.255.254/31", true},
      {"IPv6", "2001:db8::ff05", "2001:db8::/64", true},
      {"a search in a large IPv6 network ends", "2001:db8:0:1::1", "2001:db8::/32", false},
  };
  for (const auto& c : cases) {
    const auto address = IpAddress::parse(c.address);
    const auto network = Network::parse(c.network);
    ASSERT_TRUE(address && network) << c.why;
    const auto found = find_source(source_id(*address), {&*network, 1});
    EXPECT_EQ(found.has_value(), c.found) << c.why;
    if (found) {
      EXPECT_EQ(*found, *address) << c.why;
    }
  }
}

// Names are stored in files and sent to mirrors, so they must never change.
TEST(SourceName, NeverChanges) {
  // Python: int.from_bytes(hashlib.blake2b(bytes([127, 0, 0, 1]) + bytes(12),
  //                                        digest_size=16).digest()[:8], "little")
  EXPECT_EQ(source_id(*IpAddress::parse("127.0.0.1")), 0xd9fed4e02d62e552U);
}

}  // namespace
}  // namespace shingled::storage::access
