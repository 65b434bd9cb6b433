#include "storage/redis/route/slot_map.h"

#include <gtest/gtest.h>

namespace shingled::storage::redis {
namespace {

using Kind = RedisReply::Kind;

RedisReply text(std::string what) { return {.kind = Kind::kText, .text = std::move(what)}; }
RedisReply number(std::int64_t what) { return {.kind = Kind::kInteger, .integer = what}; }
RedisReply array(std::vector<RedisReply> elements) {
  return {.kind = Kind::kArray, .elements = std::move(elements)};
}
RedisReply range(std::int64_t first, std::int64_t last, RedisReply host, std::int64_t port) {
  return array({number(first), number(last), array({std::move(host), number(port), text("id")}),
                array({text("192.0.2.9"), number(1), text("replica")})});
}

const SocketSpec kAsked{SocketSpec::Kind::kInet, "192.0.2.1", 7000, ""};

TEST(SlotMap, KnowsTheMasterOfEachSlot) {
  const auto map = parse_slot_map(array({range(0, 8000, text("192.0.2.1"), 7000),
                                         range(8001, 16383, text("2001:db8::2"), 7001)}),
                                  kAsked);
  ASSERT_TRUE(map);
  ASSERT_EQ(map->nodes.size(), 2U);
  EXPECT_EQ(map->nodes[map->node_of[0]].host, "192.0.2.1");
  EXPECT_EQ(map->nodes[map->node_of[8000]].port, 7000);
  EXPECT_EQ(map->nodes[map->node_of[8001]].host, "2001:db8::2");
  EXPECT_EQ(map->nodes[map->node_of[16383]].kind, SocketSpec::Kind::kInet6);
}

TEST(SlotMap, ANodeThatDoesNotKnowItsHostGetsTheOneAsked) {
  for (const RedisReply& host : {text(""), text("?"), RedisReply{}}) {
    const auto map = parse_slot_map(array({range(0, 5, host, 7009)}), kAsked);
    ASSERT_TRUE(map);
    EXPECT_EQ(map->nodes[0].host, "192.0.2.1");
    EXPECT_EQ(map->nodes[0].port, 7009);
    EXPECT_EQ(map->node_of[6], SlotMap::kNobody);
  }
}

struct BadMap {
  const char* why;
  RedisReply reply;
};

TEST(SlotMap, LeavesOutInvalidRanges) {
  const BadMap cases[] = {
      {"an error",
       {.kind = Kind::kError, .text = "ERR This instance has cluster support disabled"}},
      {"an empty array", array({})},
      {"a number instead of a range", array({number(1)})},
      {"a slot above the last one", array({range(0, 16384, text("192.0.2.1"), 7000)})},
      {"a negative slot", array({range(-1, 5, text("192.0.2.1"), 7000)})},
      {"a port above the last one", array({range(0, 5, text("192.0.2.1"), 65536)})},
      {"a range without node", array({array({number(0), number(5)})})},
      {"a node without port", array({array({number(0), number(5), array({text("192.0.2.1")})})})}};
  for (const BadMap& c : cases) EXPECT_FALSE(parse_slot_map(c.reply, kAsked)) << c.why;
}

TEST(SlotMap, ReadsRedirects) {
  const auto moved =
      parse_redirect({.kind = Kind::kError, .text = "MOVED 3999 192.0.2.7:6381"}, kAsked);
  ASSERT_TRUE(moved);
  EXPECT_FALSE(moved->this_once);
  EXPECT_EQ(moved->slot, 3999);
  EXPECT_EQ(moved->where, (SocketSpec{SocketSpec::Kind::kInet, "192.0.2.7", 6381, ""}));
  const auto ask =
      parse_redirect({.kind = Kind::kError, .text = "ASK 16383 2001:db8::1:6381"}, kAsked);
  ASSERT_TRUE(ask);
  EXPECT_TRUE(ask->this_once);
  EXPECT_EQ(ask->where.host, "2001:db8::1");
  const auto same_host = parse_redirect({.kind = Kind::kError, .text = "MOVED 1 :6381"}, kAsked);
  ASSERT_TRUE(same_host);
  EXPECT_EQ(same_host->where.host, "192.0.2.1");
  for (const char* no :
       {"MOVED", "MOVED 1", "MOVED x 192.0.2.7:1", "MOVED 16384 192.0.2.7:1",
        "MOVED 1 192.0.2.7:65536", "MOVED 1 192.0.2.7:", "MOVED1 1 h:1", "ASK:1 2"}) {
    EXPECT_FALSE(parse_redirect({.kind = Kind::kError, .text = no}, kAsked)) << no;
  }
  EXPECT_FALSE(parse_redirect(text("MOVED 1 192.0.2.7:1"), kAsked));
}

}  // namespace
}  // namespace shingled::storage::redis
