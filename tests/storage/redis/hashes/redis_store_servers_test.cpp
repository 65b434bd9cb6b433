// Covers storage/redis/route/open_route.cpp, storage/redis/hashes/update_sender.cpp.
// Which servers a store talks to, and what it does while they are away.
#include <gtest/gtest.h>

#include "storage/redis/hashes/redis_store.h"
#include "tests/storage/redis/hashes/redis_fixture.h"
#include "tests/support/fake_store.h"

namespace shingled::storage::redis {
namespace {

TEST_F(RedisStoreTest, GoesOnWhenTheServerForgotItsScripts) {
  ASSERT_TRUE(apply(add(engine::random_fingerprint(random_))));
  redis_.ask({"SCRIPT", "FLUSH"});
  const Fingerprint text = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text)));
  EXPECT_TRUE(check(text));
}

TEST_F(RedisStoreTest, GoesOnWhenTheServerComesBack) {
  const Fingerprint text = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text)));
  redis_.kill9();
  EXPECT_FALSE(check(text));
  EXPECT_FALSE(apply(add(engine::random_fingerprint(random_))));
  EXPECT_FALSE(store_->counters().connected);
  EXPECT_GE(store_->counters().misses_away, 1U);
  ASSERT_TRUE(redis_.start());
  EXPECT_TRUE(testing::eventually([&] { return check(text).has_value(); }));
  EXPECT_TRUE(testing::eventually([&] { return apply(add(text)).has_value(); }));
  EXPECT_TRUE(store_->counters().connected);
}

TEST_F(RedisStoreTest, ARestartInBetweenIsNoFailure) {
  const Fingerprint text = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text)));
  ASSERT_TRUE(check(text));
  redis_.kill9();
  ASSERT_TRUE(redis_.start());
  EXPECT_TRUE(check(text)) << "an idle connection was broken, the server is there";
  // The writer may have read the counter meanwhile and failed; then it does not try the server for
  // a moment.
  EXPECT_TRUE(testing::eventually([&] { return apply(add(text)).has_value(); }));
  EXPECT_EQ(store_->counters().misses_away, 0U);
}

TEST_F(RedisStoreTest, UsesTheDatabaseAndThePasswordGiven) {
  redis_.ask({"ACL", "SETUSER", "fuzz", "on", ">secret", "~*", "&*", "+@all"});
  redis_.ask({"CONFIG", "SET", "requirepass", "other"});
  options_.redis.username = "fuzz";
  options_.redis.password = "secret";
  options_.redis.db = 3;
  open();
  const Fingerprint text = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text)));
  EXPECT_TRUE(check(text));
  options_.redis.db = 0;
  open();
  EXPECT_FALSE(check(text));
  EXPECT_EQ(store_->counters().misses_away, 0U);
  options_.redis.password = "wrong";
  open();
  EXPECT_FALSE(check(text));
  EXPECT_EQ(store_->counters().misses_away, 1U);
  const Status outcome = apply(add(text));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message.find("wrong"), std::string::npos) << outcome.error().message;
}

TEST_F(RedisStoreTest, AsksTheNextServerWhenOneIsAway) {
  const Fingerprint text = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text)));
  options_.redis.servers = {{SocketSpec::Kind::kUnix, "", 0, redis_.socket() + ".none"},
                            redis_.address()};
  open();
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(check(text));
  EXPECT_TRUE(apply(add(text)));
  EXPECT_EQ(store_->counters().misses_away, 0U);
}

TEST_F(RedisStoreTest, ACacheAnswersForAWhile) {
  options_.redis.cache_seconds = std::chrono::hours(1);
  open();
  const Fingerprint text = engine::random_fingerprint(random_);
  const Fingerprint unknown = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text, 5)));
  EXPECT_TRUE(check(text));
  EXPECT_FALSE(check(unknown));
  redis_.kill9();  // so all further answers come from memory
  EXPECT_TRUE(check(text));
  EXPECT_FALSE(check(unknown));
  EXPECT_EQ(store_->counters().misses_away, 0U);
  EXPECT_FALSE(check(engine::random_fingerprint(random_)));
  EXPECT_EQ(store_->counters().misses_away, 1U);
  ASSERT_TRUE(redis_.start());
  while (!store_->counters().connected)
    static_cast<void>(check(engine::random_fingerprint(random_)));
  ASSERT_TRUE(testing::eventually([&] { return apply(add(text, 2)).has_value(); }));
  EXPECT_EQ(check(text)->flags[0].value, 7) << "our own changes are seen at once";
}

TEST_F(RedisStoreTest, ReadsAndWritesWithTheConfiguredServers) {
  const SocketSpec none{SocketSpec::Kind::kUnix, "", 0, redis_.socket() + ".none"};
  const Fingerprint text = engine::random_fingerprint(random_);
  options_.redis.servers = {none};
  options_.redis.write_servers = {redis_.address()};
  open();
  EXPECT_TRUE(apply(add(text)));
  EXPECT_FALSE(check(text));
  options_.redis.write_servers = {none};
  options_.redis.read_servers = {redis_.address()};
  open();
  EXPECT_FALSE(apply(add(text)));
  EXPECT_TRUE(check(text));
}

}  // namespace
}  // namespace shingled::storage::redis
