// Covers storage/redis/hashes/look_up.cpp.
#include <gtest/gtest.h>

#include "storage/redis/hashes/look_up.h"
#include "tests/storage/engine/random_fingerprint.h"
#include "tests/support/manual_clock.h"

namespace shingled::storage::redis {
namespace {

using std::chrono::seconds;

class MatchCacheTest : public ::testing::Test {
 protected:
  static Question ask(const Fingerprint& what) {
    return {&what.digest, what.shingles ? &*what.shingles : nullptr};
  }
  static Match match(const Fingerprint& what) {
    Match out;
    out.digest = what.digest;
    return out;
  }
  void put(const Fingerprint& what, const MatchCache::Answer& answer) {
    cache_.put(ask(what), answer, clock_.now(), cache_.forgotten(what.digest));
  }
  engine::Seeded random_{3};
  testing::ManualClock clock_;
  MatchCache cache_{seconds(10), 3200};
};

TEST_F(MatchCacheTest, KnowsHitsAndMissesForAWhile) {
  const Fingerprint hit = engine::random_fingerprint(random_);
  const Fingerprint miss = engine::random_fingerprint(random_);
  EXPECT_FALSE(cache_.find(ask(hit), clock_.now()));
  put(hit, match(hit));
  put(miss, std::nullopt);
  clock_.advance(seconds(9));
  ASSERT_TRUE(cache_.find(ask(hit), clock_.now()));
  EXPECT_EQ(*cache_.find(ask(hit), clock_.now()), match(hit));
  ASSERT_TRUE(cache_.find(ask(miss), clock_.now()));
  EXPECT_FALSE(cache_.find(ask(miss), clock_.now())->has_value());
  clock_.advance(seconds(1));
  EXPECT_FALSE(cache_.find(ask(hit), clock_.now()));
  EXPECT_FALSE(cache_.find(ask(miss), clock_.now()));
}

TEST_F(MatchCacheTest, OtherShinglesAreAnotherQuestion) {
  const Fingerprint text = engine::random_fingerprint(random_);
  put(text, match(text));
  const Fingerprint without{text.digest, std::nullopt};
  const Fingerprint other{text.digest, engine::random_shingles(random_)};
  EXPECT_FALSE(cache_.find(ask(without), clock_.now()));
  EXPECT_FALSE(cache_.find(ask(other), clock_.now()));
}

// Different shingles with the same FNV-1a hash over their words; the last one is computed
// backwards.
TEST_F(MatchCacheTest, TellsCraftedQuestionsApart) {
  const auto before_last = [](const Shingles& shingles) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::size_t i = 0; i + 1 < kShingleCount; ++i) hash = (hash ^ shingles[i]) * 0x100000001b3;
    return hash;
  };
  const Fingerprint mail = engine::random_fingerprint(random_);
  Fingerprint decoy{mail.digest, engine::random_shingles(random_)};
  decoy.shingles->back() =
      before_last(*mail.shingles) ^ mail.shingles->back() ^ before_last(*decoy.shingles);
  put(decoy, std::nullopt);
  EXPECT_FALSE(cache_.find(ask(mail), clock_.now())) << "its near matches would be hidden";
}

TEST_F(MatchCacheTest, ForgetsWhatWasChanged) {
  const Fingerprint text = engine::random_fingerprint(random_);
  put(text, match(text));
  cache_.forget(text.digest);
  EXPECT_FALSE(cache_.find(ask(text), clock_.now()));
}

TEST_F(MatchCacheTest, DoesNotKeepAnAnswerFetchedBeforeTheChange) {
  const Fingerprint text = engine::random_fingerprint(random_);
  const std::uint64_t before = cache_.forgotten(text.digest);
  cache_.forget(text.digest);  // while the question is under way
  cache_.put(ask(text), match(text), clock_.now(), before);
  EXPECT_FALSE(cache_.find(ask(text), clock_.now()));
  put(text, match(text));
  EXPECT_TRUE(cache_.find(ask(text), clock_.now())) << "the next answer is new";
}

TEST_F(MatchCacheTest, KeepsTheNewestWhenThereAreTooMany) {
  std::vector<Fingerprint> texts;
  for (int i = 0; i < 20'000; ++i) texts.push_back({engine::random_digest(random_), std::nullopt});
  for (const Fingerprint& text : texts) put(text, match(text));
  std::size_t known = 0;
  for (const Fingerprint& text : texts) known += cache_.find(ask(text), clock_.now()) ? 1U : 0U;
  EXPECT_LE(known, 3200U);
  EXPECT_GE(known, 1600U);
  EXPECT_TRUE(cache_.find(ask(texts.back()), clock_.now()));
  EXPECT_FALSE(cache_.find(ask(texts.front()), clock_.now()));
}

TEST_F(MatchCacheTest, CanBeOff) {
  EXPECT_TRUE(cache_.is_on());
  EXPECT_FALSE(MatchCache(seconds(0), 1000).is_on());
  EXPECT_FALSE(MatchCache(seconds(1), 0).is_on());
}

}  // namespace
}  // namespace shingled::storage::redis
