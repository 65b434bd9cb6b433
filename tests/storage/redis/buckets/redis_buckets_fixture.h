#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/redis/buckets/redis_buckets.h"
#include "tests/storage/redis/route/redis_process.h"

namespace shingled::storage::redis {

class LineLogger final : public Logger {
 public:
  void write(LogLevel /*level*/, std::string_view line) override {
    lines_.lock()->emplace_back(line.substr(0, line.find(' ')));
  }
  [[nodiscard]] bool enabled(LogLevel /*level*/) const override { return true; }
  [[nodiscard]] std::vector<std::string> events() { return *lines_.lock(); }

 private:
  Guarded<std::vector<std::string>> lines_;
};

inline const LeakRate kSlow(1e-6, 3);  // almost nothing leaks while a test runs

class RedisBucketsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SHINGLED_NEED_REDIS();
    ASSERT_TRUE(redis_.start());
    options_.servers = {redis_.address()};
    options_.prefix = "rl*";
    options_.timeout = std::chrono::seconds(20);  // a sanitizer build on a busy machine
    store_ = open();
  }
  std::unique_ptr<RedisBuckets> open() {
    return std::make_unique<RedisBuckets>(
        options_, std::make_unique<buckets::EmbeddedBuckets>(1000, clock_, random_), clock_,
        logger_);
  }
  [[nodiscard]] TimePoint soon() const { return clock_.now() + std::chrono::seconds(20); }
  buckets::BucketAnswer take(RedisBuckets& store,
                             const std::vector<buckets::BucketDemand>& demands) {
    return store.take(demands, soon());
  }
  buckets::BucketAnswer take(const std::vector<buckets::BucketDemand>& demands) {
    return take(*store_, demands);
  }
  double drops(std::string_view key) {
    const auto state = store_->show(key, soon());
    return state && *state ? (*state)->drops() : 0;
  }
  int fitting(const buckets::BucketDemand& what) {
    int count = 0;
    while (count < 100 && store_->take({&what, 1}, soon()).taken) ++count;
    return count;
  }

  testing::RedisProcess redis_;
  RedisOptions options_;
  SystemClock clock_;
  SystemRandom random_;
  LineLogger logger_;
  std::unique_ptr<RedisBuckets> store_;
};

}  // namespace shingled::storage::redis
