#include "storage/replication/master_link.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/replication/message.h"

namespace shingled::storage::replication {
namespace {

IpAddress of(const std::string& network, std::size_t host) {
  return *IpAddress::parse(network + std::to_string(host));
}

TEST(WhoMakesRoom, ANewCallerAlwaysGetsIn) {
  std::vector<IpAddress> nobody;
  std::vector<IpAddress> one_short(kUnprovedOfOneMax - 1, of("192.0.2.", 1));
  std::vector<IpAddress> share(kUnprovedOfOneMax, of("192.0.2.", 1));
  share.insert(share.begin(), of("192.0.2.", 2));
  std::vector<IpAddress> full;
  for (std::size_t i = 0; i < kUnprovedMax; ++i) full.push_back(of("198.51.100.", i));
  std::vector<IpAddress> greedy = full;
  greedy[20] = greedy[25] = of("198.51.100.", 7);
  struct Case {
    const char* why;
    const std::vector<IpAddress>& unproved;
    IpAddress caller;
    std::optional<std::size_t> room;
  };
  const Case cases[] = {
      {"nobody is there", nobody, of("192.0.2.", 1), std::nullopt},
      {"an address has room for one more", one_short, of("192.0.2.", 1), std::nullopt},
      {"its share is used up: its own oldest goes", share, of("192.0.2.", 1), 1},
      {"the share of another address does not matter", share, of("192.0.2.", 3), std::nullopt},
      {"each address has one place: the oldest goes", full, of("192.0.2.", 1), 0},
      {"one address has most: its oldest goes", greedy, of("192.0.2.", 1), 7},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(who_makes_room(one.unproved, one.caller), one.room) << one.why;
  }
}

}  // namespace
}  // namespace shingled::storage::replication
