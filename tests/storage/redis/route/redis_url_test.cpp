// Covers storage/redis/route/open_route.cpp.
#include <gtest/gtest.h>

#include "storage/redis/route/open_route.h"

namespace shingled::storage::redis {
namespace {

struct Good {
  const char* url;
  SocketSpec server;
  const char* username;
  const char* password;
  std::uint32_t db;
};

TEST(RedisUrl, ReadsServerLoginAndDatabase) {
  using Kind = SocketSpec::Kind;
  const Good cases[] = {
      {"redis://192.0.2.1", {Kind::kInet, "192.0.2.1", 6379, ""}, "", "", 0},
      {"redis://redis.example:7000/3", {Kind::kInet, "redis.example", 7000, ""}, "", "", 3},
      {"redis://:se:cr@t@192.0.2.1", {Kind::kInet, "192.0.2.1", 6379, ""}, "", "se:cr@t", 0},
      {"redis://fuzz:secret@192.0.2.1:1/0", {Kind::kInet, "192.0.2.1", 1, ""}, "fuzz", "secret", 0},
      {"redis://f%75zz%40a:%3As%2fe%25c%c3%A4@192.0.2.1/2",
       {Kind::kInet, "192.0.2.1", 6379, ""},
       "fuzz@a",
       ":s/e%c\xc3\xa4",
       2},
      {"unix:/run/redis.sock", {Kind::kUnix, "", 0, "/run/redis.sock"}, "", "", 0}};
  for (const Good& c : cases) {
    RedisOptions options;
    options.read_servers = options.servers;
    options.username = "other";
    options.password = "of the configured server";
    options.db = 7;
    options.cluster = true;
    ASSERT_TRUE(apply_redis_url(c.url, options)) << c.url;
    EXPECT_EQ(options.servers, std::vector<SocketSpec>{c.server}) << c.url;
    EXPECT_TRUE(options.read_servers.empty()) << c.url;
    EXPECT_EQ(options.username, c.username) << c.url;
    EXPECT_EQ(options.password, c.password) << c.url;
    EXPECT_EQ(options.db, c.db) << c.url;
    EXPECT_FALSE(options.cluster) << c.url;
  }
}

TEST(RedisUrl, RefusesOtherTextsWithoutRepeatingThem) {
  for (const char* url :
       {"", "redis://", "http://192.0.2.1", "192.0.2.1", "redis://secret@192.0.2.1",
        "redis://a:@192.0.2.1", "redis://:secret@192.0.2.1/x", "redis://:secret@192.0.2.1/65536",
        "redis://:secret@192.0.2.1:x", "redis://:secret%@192.0.2.1", "redis://:secret%4@192.0.2.1",
        "redis://:secret%4g@192.0.2.1", "redis://a%%:secret@192.0.2.1"}) {
    RedisOptions options;
    const RedisOptions before = options;
    const Status status = apply_redis_url(url, options);
    ASSERT_FALSE(status) << url;
    EXPECT_EQ(status.error().message.find("secret"), std::string::npos) << url;
    EXPECT_EQ(options, before) << url;
  }
}

}  // namespace
}  // namespace shingled::storage::redis
