#include "mime/fingerprint/secret_hash.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <unordered_set>

#include "mime/fingerprint/fingerprint.h"
#include "tests/support/longest_chain.h"
#include "tests/support/seeded_random.h"

namespace shingled {
namespace {

using testing::kChainByChance;
using testing::longest_chain;
using testing::SeededRandom;

constexpr std::size_t kKeys = 10'000;

TEST(SecretHash, DependsOnTheSecretAlone) {
  SeededRandom one(1);
  SeededRandom same(1);
  SeededRandom other(2);
  const SecretHash hash(one);
  const SecretHash again(same);
  const SecretHash different(other);
  for (std::uint64_t number = 0; number < 1000; ++number) {
    const std::string text = std::to_string(number);
    ASSERT_EQ(hash(number), again(number));
    ASSERT_EQ(hash(text), again(text));
    ASSERT_NE(hash(number), different(number));
    ASSERT_NE(hash(text), different(text));
  }
}

TEST(SecretHash, TellsLengthsApart) {
  std::set<std::uint64_t> seen;
  for (std::size_t bytes = 0; bytes < 100; ++bytes)
    seen.insert(SecretHash::of_process()(std::string(bytes, '\0')));
  EXPECT_EQ(seen.size(), 100U);
}

TEST(SecretHash, OfTheProcessIsOneAndNotTheEmptyOne) {
  class NoRandom final : public Random {
   public:
    void fill(std::span<std::uint8_t> bytes) override { std::ranges::fill(bytes, 0); }
  } zeros;
  EXPECT_EQ(&SecretHash::of_process(), &SecretHash::of_process());
  EXPECT_NE(SecretHash::of_process()(std::uint64_t{1}), SecretHash(zeros)(std::uint64_t{1}));
}

// Whoever knows how many buckets there are: keys whose first 8 bytes are a multiple of that.
TEST(DigestHash, SpreadsDigestsThatBeginWithMultiplesOfTheSizeOfTheTable) {
  std::unordered_set<Digest, DigestHash> table;
  table.reserve(kKeys);
  const std::uint64_t buckets = table.bucket_count();
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    Digest digest;
    const std::uint64_t word = i * buckets;
    std::memcpy(digest.bytes.data(), &word, sizeof word);
    table.insert(digest);
  }
  ASSERT_EQ(table.bucket_count(), buckets) << "it grew, and the keys are not crafted for it";
  EXPECT_LE(longest_chain(table), kChainByChance);
}

// Or, whatever the size, digests that differ behind their first 8 bytes alone.
TEST(DigestHash, SpreadsDigestsThatBeginAlike) {
  std::unordered_set<Digest, DigestHash> table;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    Digest digest;
    std::memcpy(digest.bytes.data() + 8 + i % 7 * 8, &i, sizeof i);
    table.insert(digest);
  }
  EXPECT_LE(longest_chain(table), kChainByChance);
}

TEST(TextHash, SpreadsTextsThatTheHashOfTheLibraryPutsIntoOneBucket) {
  constexpr std::size_t kTexts = 1000;
  std::unordered_set<std::string, TextHash> table;
  table.reserve(kTexts);
  const std::size_t buckets = table.bucket_count();
  for (std::uint64_t i = 0; table.size() < kTexts; ++i) {
    std::string text = "sender" + std::to_string(i) + "@example.com";
    if (std::hash<std::string>()(text) % buckets == 0) table.insert(std::move(text));
  }
  ASSERT_EQ(table.bucket_count(), buckets);
  EXPECT_LE(longest_chain(table), kChainByChance);
}

}  // namespace
}  // namespace shingled
