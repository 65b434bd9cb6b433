// Covers storage/engine/number_map.cpp.
// The chains of the index under an attacker who knows the code, but not the secret of the running
// index.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

#include "storage/engine/fuzzy_index.h"
#include "storage/engine/number_map.h"
#include "tests/storage/engine/random_fingerprint.h"

namespace shingled::storage::engine {
namespace {

/// With a fixed hash, this many made a look-up take 11 ms.
constexpr std::size_t kCrafted = 14'000;

/// The inverse of MurmurHash3's finaliser: gives a shingle for any hash of this mixer.
std::uint64_t unmixed(std::uint64_t hash) {
  hash ^= hash >> 33;
  hash *= 0x9cb4b2f8129337db;
  hash ^= hash >> 33;
  hash *= 0x4f74430c22a54005;
  return hash ^ hash >> 33;
}

/// A set of shingles, and why an attacker would send it.
struct CraftedSet {
  const char* why;
  std::function<std::uint64_t(std::uint64_t)> shingle;  ///< returns shingle number i
};
const std::array kSets = {
    CraftedSet{"one chain of a well-known mixer", [](std::uint64_t i) { return unmixed(i); }},
    CraftedSet{"small numbers", [](std::uint64_t i) { return i; }},
    CraftedSet{"steps of a power of two", [](std::uint64_t i) { return i << 50; }},
    CraftedSet{"differences in the highest bits only",
               [](std::uint64_t i) { return i << 50 | 0x1234; }},
    CraftedSet{"steps as long as a page", [](std::uint64_t i) { return i * 4096 + 7; }},
    CraftedSet{"few bits set",
               [](std::uint64_t i) {
                 return std::uint64_t{1} << i % 64 | std::uint64_t{1} << i / 64 % 64 |
                        std::uint64_t{1} << i / 4096 % 64;
               }},
    CraftedSet{"high and low half cancel", [](std::uint64_t i) { return i << 32 | i; }},
    CraftedSet{"the inverse of one factor", [](std::uint64_t i) { return i * 0x9e3779b97f4a7c15; }},
};

/// The longest way of a look-up in a map with these hashes, in buckets.
std::size_t longest_way(const std::vector<std::uint64_t>& hashes) {
  std::vector<NumberMap> shards(std::size_t{1} << HashParts::kShardBits);
  std::uint32_t number = 0;
  for (const std::uint64_t hash : hashes)
    EXPECT_TRUE(shards[HashParts::shard(hash)].insert(hash, ++number).placed);
  std::size_t longest = 0;
  for (const std::uint64_t hash : hashes) {
    NumberMap::Search search(shards[HashParts::shard(hash)], hash);
    std::size_t steps = 1;
    while (search.step([](std::uint32_t) {})) ++steps;
    longest = std::max(longest, steps);
  }
  return longest;
}

TEST(CraftedSet, MakesNoLongerChainsThanChanceDoes) {
  SystemRandom random;
  for (const CraftedSet& set : kSets) {
    SCOPED_TRACE(set.why);
    std::set<std::uint64_t> shingles;
    for (std::uint64_t i = 0; i < kCrafted; ++i) shingles.insert(set.shingle(i));
    for (int secret = 0; secret < 20; ++secret) {
      const IndexHash hash(random);
      std::vector<std::uint64_t> hashes;
      for (const std::uint64_t shingle : shingles) hashes.push_back(hash.of(shingle));
      EXPECT_LT(longest_way(hashes), 24U);
    }
  }
}

TEST(CraftedSet, DigestsMakeNoLongerChainsThanChanceDoes) {
  SystemRandom random;
  for (const std::size_t at : {std::size_t{0}, std::size_t{8}, std::size_t{56}}) {
    const IndexHash hash(random);
    std::vector<std::uint64_t> hashes;
    for (std::uint64_t i = 0; i < kCrafted; ++i) {
      Digest digest;
      std::memcpy(digest.bytes.data() + at, &i, sizeof i);
      hashes.push_back(hash.of(digest));
    }
    EXPECT_LT(longest_way(hashes), 24U) << "digests that differ from byte " << at << " on";
  }
}

TEST(CraftedSet, FindsAPlaceForEveryOwnerInTheIndexItself) {
  constexpr std::size_t kRecords = 3000;  // far more than one chain can hold (NumberMap::kWayMax)
  Seeded random(3);
  std::vector<FuzzyIndex::NewRecord> records(kRecords);
  for (std::size_t i = 0; i < kRecords; ++i) {
    Shingles shingles{};
    shingles.fill(unmixed(i));
    records[i].fingerprint = {random_digest(random), shingles};
    records[i].state.row = static_cast<std::int64_t>(i + 1);
    records[i].state.flags.add({1, 1});
  }
  FuzzyIndex index({});
  ASSERT_EQ(index.add(records), kRecords);
  EXPECT_EQ(index.slot_overflows(), 0U);
  for (const FuzzyIndex::NewRecord& record : records) {
    const auto match = index.check(random_digest(random), &*record.fingerprint.shingles, 0);
    ASSERT_TRUE(match);
    EXPECT_EQ(match->digest, record.fingerprint.digest);
  }
}

TEST(CraftedSet, EachIndexHasItsOwnSecret) {
  SystemRandom random;
  const IndexHash one(random);
  const IndexHash another(random);
  EXPECT_NE(one.of(std::uint64_t{1}), another.of(std::uint64_t{1}));
  EXPECT_NE(one.of(Digest{}), another.of(Digest{}));
}

/// Pairs of different shingles of the set that have the same low half.
std::size_t equal_lows(const CraftedSet& set, const IndexHash& hash) {
  std::unordered_map<std::uint32_t, std::uint64_t> by_low;
  std::size_t equal = 0;
  for (std::uint64_t i = 0; i < kCrafted; ++i) {
    const std::uint64_t shingle = set.shingle(i);
    const auto [known, is_new] = by_low.try_emplace(HashParts::low(hash.of(shingle)), shingle);
    if (!is_new && known->second != shingle) ++equal;
  }
  return equal;
}

// A match compares 60 bits of one slot and 32 bits of the others. Chance makes 0.02 pairs of a set
// equal. The shingles of a set have equal distances, so equal pairs come together: one secret in
// 50 has any, one in 1000 has more than three. An attacker does not know whose secret that is; what
// no set may do is to reach many secrets.
TEST(CraftedSet, DoesNotMakeDifferentShinglesEqual) {
  constexpr int kSecrets = 9;
  SystemRandom random;
  for (const CraftedSet& set : kSets) {
    SCOPED_TRACE(set.why);
    int secrets_with_pairs = 0;
    for (int secret = 0; secret < kSecrets; ++secret)
      if (equal_lows(set, IndexHash(random)) != 0) ++secrets_with_pairs;
    EXPECT_LE(secrets_with_pairs, kSecrets / 2) << "of " << kSecrets;
  }
}

}  // namespace
}  // namespace shingled::storage::engine
