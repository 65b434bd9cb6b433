#include <thread>

#include "tests/storage/engine/engine_fixture.h"

namespace shingled::storage::engine {
namespace {

class Hits : public EngineTest {
 protected:
  /// A copy with another digest that shares a little more than half of the slots.
  Fingerprint like(const Fingerprint& original) {
    Fingerprint copy = random_fingerprint(random_);
    std::copy_n(original.shingles->begin(), 20, copy.shingles->begin());
    return copy;
  }
};

TEST_F(Hits, AnAnswerCountsForTheHashItNames) {
  open();
  const Fingerprint one = random_fingerprint(random_);
  const Fingerprint two = random_fingerprint(random_);
  ASSERT_TRUE(apply(add(one, 20, 11)));
  ASSERT_TRUE(apply(add(two, 20, 11)));
  EXPECT_TRUE(engine_->most_hit(10).empty()) << "no question yet";
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(check(one));
  ASSERT_TRUE(check(like(two))) << "by its shingles";
  const Fingerprint unknown = random_fingerprint(random_);
  EXPECT_FALSE(check(unknown));
  (void)engine_->check_all(two, clock_.unix_seconds(), 10);
  const Question both[] = {{&one.digest, nullptr}, {&two.digest, nullptr}};
  std::array<std::optional<Match>, 2> answers;
  ASSERT_TRUE(engine_->check_batch(both, clock_.unix_seconds(), answers));
  const std::vector<HitCount> all = {{one.digest, 4}, {two.digest, 2}};
  EXPECT_EQ(engine_->most_hit(10), all) << "check_all does not count as a question of a client";
  EXPECT_EQ(engine_->most_hit(1), std::vector<HitCount>({all[0]}));
  EXPECT_TRUE(engine_->most_hit(0).empty());

  ASSERT_TRUE(apply(add(one, 1, 12)));
  EXPECT_EQ(engine_->most_hit(1), std::vector<HitCount>({all[0]}))
      << "taught again, its count goes on";
  ASSERT_TRUE(apply(remove(one)));
  EXPECT_EQ(engine_->most_hit(10), std::vector<HitCount>({all[1]}));
  ASSERT_TRUE(apply(add(one, 20, 11)));
  EXPECT_EQ(engine_->most_hit(10), std::vector<HitCount>({all[1]}))
      << "a new record begins at zero";
}

TEST_F(Hits, FindsTheMostHitOfMany) {
  open();
  std::vector<Fingerprint> stored;
  std::vector<Update> updates;
  for (int i = 0; i < 3000; ++i) {  // several blocks of numbers
    stored.push_back(random_fingerprint(random_));
    updates.push_back(add(stored.back(), 1, 11));
  }
  ASSERT_TRUE(engine_->apply(updates));
  for (std::size_t i = 0; i < stored.size(); i += 100) {
    for (std::size_t hit = 0; hit <= i / 100; ++hit) ASSERT_TRUE(check(stored[i]));
  }
  const auto top = engine_->most_hit(3);
  ASSERT_EQ(top.size(), 3U);
  for (std::size_t i = 0; i < top.size(); ++i) {
    EXPECT_EQ(top[i].digest, stored[2900 - 100 * i].digest);
    EXPECT_EQ(top[i].hits, 30 - i);
  }
}

TEST_F(Hits, ThreadsCountTogetherWhileOthersReadAndWrite) {
  open();
  const Fingerprint known = random_fingerprint(random_);
  ASSERT_TRUE(apply(add(known, 20, 11)));
  constexpr int kEach = 5000;
  {
    std::vector<std::jthread> askers;
    for (int t = 0; t < 2; ++t) {
      askers.emplace_back([&] {
        for (int i = 0; i < kEach; ++i) (void)check(known);
      });
    }
    for (int i = 0; i < 200; ++i) {
      const Fingerprint other = random_fingerprint(random_);
      ASSERT_TRUE(apply(add(other, 1, 11)));
      ASSERT_TRUE(apply(remove(other)));
      ASSERT_LE(engine_->most_hit(5).size(), 1U);
    }
  }
  EXPECT_EQ(engine_->most_hit(5), std::vector<HitCount>({{known.digest, 2 * kEach}}));
}

}  // namespace
}  // namespace shingled::storage::engine
