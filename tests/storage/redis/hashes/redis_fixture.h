#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "storage/redis/hashes/layout.h"
#include "storage/redis/hashes/redis_store.h"
#include "tests/storage/engine/random_fingerprint.h"
#include "tests/storage/redis/route/redis_process.h"
#include "tests/storage/store_calls.h"

namespace shingled::storage::redis {

/// A store with a redis-server for each test.
class RedisStoreTest : public ::testing::Test, protected StoreCalls {
 protected:
  void SetUp() override {
    SHINGLED_NEED_REDIS();
    ASSERT_TRUE(redis_.start());
    options_.redis.servers = {redis_.address()};
    options_.redis.timeout = std::chrono::seconds(20);  // a sanitizer build on a busy machine
    options_.expire = std::chrono::hours(24 * 90);
    open();
  }
  void open() {
    store_.reset();
    auto opened = RedisStore::open(options_, clock_, random_source_, logger_);
    ASSERT_TRUE(opened);
    store_ = *std::move(opened);
  }
  [[nodiscard]] std::optional<Match> check(const Fingerprint& what) const {
    return check_in(*store_, what, 0);
  }
  Status apply(const Update& update) { return apply_to(*store_, update); }
  static std::vector<FlagValue> flags_of(const std::optional<Match>& match) {
    if (!match) return {};
    return {match->flags.begin(), match->flags.begin() + match->flag_count};
  }
  /// The fields of the record of a digest in Redis.
  [[nodiscard]] std::map<std::string, std::string> fields(const Digest& digest) const {
    const RedisReply all = redis_.ask({"HGETALL", record_key(options_.redis.prefix, digest)});
    std::map<std::string, std::string> out;
    for (std::size_t i = 0; i + 1 < all.elements.size(); i += 2) {
      out[all.elements[i].text] = all.elements[i + 1].text;
    }
    return out;
  }
  [[nodiscard]] std::int64_t ttl(const std::string& key) const {
    return redis_.ask({"TTL", key}).integer;
  }
  /// Keys other than markers, counter and revision.
  [[nodiscard]] std::vector<std::string> stored_keys() const {
    std::vector<std::string> keys = redis_.keys();
    std::erase_if(keys, [&](const std::string& key) {
      return key.starts_with(options_.redis.prefix + "_done_") ||
             key == count_key(options_.redis.prefix) || key == revision_key(options_.redis.prefix);
    });
    return keys;
  }
  [[nodiscard]] std::int64_t count() const {
    const RedisReply reply = redis_.ask({"GET", count_key(options_.redis.prefix)});
    return reply.is_text() ? std::stoll(reply.text) : 0;
  }

  testing::RedisProcess redis_;
  SharedStoreOptions options_;
  SystemClock clock_;
  SystemRandom random_source_;
  NullLogger logger_;
  engine::Seeded random_{20'261'122};
  std::unique_ptr<RedisStore> store_;
};

}  // namespace shingled::storage::redis
