// kill -9 of the server under load: no acknowledged update is lost and none counts twice.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/storage/redis/hashes/redis_fixture.h"

namespace shingled::storage::redis {
namespace {

constexpr std::size_t kTexts = 20;
constexpr std::size_t kInFlight = 64;

/// The value of a text is at least `acknowledged`, and at most the sum of both.
struct Bounds {
  std::atomic<std::int64_t> acknowledged{0};
  std::atomic<std::int64_t> refused{0};  ///< stays 0 with a journal
};

class RedisKillTest : public RedisStoreTest {
 protected:
  /// Submits an update with a value of 1 to 7. At most kInFlight updates are under way.
  void push() {
    while (in_flight_.load() >= kInFlight) std::this_thread::yield();
    ++in_flight_;
    const std::size_t which = random_() % kTexts;
    const auto value = static_cast<std::int32_t>(1 + random_() % 7);
    store_->submit(add(texts_[which], value), [this, which, value](const Status& outcome) {
      (outcome ? bounds_[which].acknowledged : bounds_[which].refused) += value;
      --in_flight_;
    });
  }
  void settle() const {
    while (in_flight_.load() > 0) std::this_thread::yield();
  }
  void compare() const {
    for (std::size_t i = 0; i < kTexts; ++i) {
      const auto match = check(texts_[i]);
      const std::int64_t value = match ? match->flags[0].value : 0;
      EXPECT_GE(value, bounds_[i].acknowledged.load()) << i;
      EXPECT_LE(value, bounds_[i].acknowledged.load() + bounds_[i].refused.load()) << i;
    }
  }

  void kill_and_compare() {
    const char* wanted = std::getenv("SHINGLED_KILLS");
    const int kills = wanted != nullptr ? std::atoi(wanted) : 5;
    for (std::size_t i = 0; i < kTexts; ++i) texts_.push_back(engine::random_fingerprint(random_));
    for (int kill = 0; kill < kills; ++kill) {
      const std::size_t before = 50 + random_() % 1000;
      for (std::size_t i = 0; i < before; ++i) push();
      redis_.kill9();
      for (std::size_t i = 0; i < 50; ++i) push();
      ASSERT_TRUE(redis_.start());
      settle();
      // The store finds out by itself that the server is back.
      while (!store_->counters().connected || store_->counters().waiting > 0) {
        static_cast<void>(check(texts_[0]));
      }
      compare();
    }
  }

  std::vector<Fingerprint> texts_;
  std::array<Bounds, kTexts> bounds_;
  std::atomic<std::size_t> in_flight_{0};
};

TEST_F(RedisKillTest, NoAcknowledgedUpdateIsLostAndNoneCountsTwice) { kill_and_compare(); }

TEST_F(RedisKillTest, WithAJournalEveryUpdateIsMadeOnce) {
  shingled::testing::TemporaryDirectory folder;
  options_.journal = folder.file("journal");
  open();
  kill_and_compare();
  for (const Bounds& bounds : bounds_) EXPECT_EQ(bounds.refused.load(), 0);
  store_.reset();  // before its folder is removed
}

}  // namespace
}  // namespace shingled::storage::redis
