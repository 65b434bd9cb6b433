#include "storage/formats/digest_rows.h"

#include <gtest/gtest.h>

#include <cstring>
#include <unordered_map>

#include "tests/storage/engine/random_fingerprint.h"

namespace shingled::storage::formats {
namespace {

TEST(DigestRows, AgreesWithAMap) {
  engine::Seeded random(7);
  std::unordered_map<Digest, std::int64_t, DigestHash> expected;
  std::vector<Digest> digests;
  DigestRows rows;
  for (std::int64_t row = 1; row <= 20'000; ++row) {
    Digest digest = engine::random_digest(random);
    // Many digests differ in only a few bytes, in different places.
    if (row % 2 == 0) digest = digests[random() % digests.size()];
    if (row % 2 == 0) digest.bytes[static_cast<std::size_t>(row) / 2 % kDigestBytes] ^= 1;
    digests.push_back(digest);
    if (!expected.emplace(digest, row).second) continue;
    rows.add(digest, row);
  }
  const auto find = [&](const Digest& digest) {
    return rows.find(digest, [&](std::int64_t row) {
      return digests[static_cast<std::size_t>(row) - 1] == digest;
    });
  };
  for (const auto& [digest, row] : expected) ASSERT_EQ(find(digest), row);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(find(engine::random_digest(random)), 0);
}

TEST(DigestRows, AsksAboutEachCandidateUntilOneMatches) {
  engine::Seeded random(8);
  const Digest digest = engine::random_digest(random);
  DigestRows rows;
  rows.add(digest, 3);
  rows.add(digest, 9);  // as if another digest had the same 64 bits
  EXPECT_EQ(rows.find(digest, [](std::int64_t row) { return row == 9; }), 9);
  EXPECT_EQ(rows.find(digest, [](std::int64_t) { return false; }), 0);
}

/// Digests that all have the same hash in a mixer without a secret (for each word: hash = (hash ^
/// word) * factor, hash ^= hash >> 32). The last word is calculated backwards.
Digest same_under_the_mixer(std::uint64_t i) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  constexpr std::uint64_t kInverse = 0xf1de83e19937733d;
  static_assert(kFactor * kInverse == 1);
  std::uint64_t hash = 0;
  const auto fold = [&](std::uint64_t word) {
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 32;
  };
  Digest digest;
  std::memcpy(digest.bytes.data(), &i, sizeof i);
  fold(i);
  for (int word = 1; word < 7; ++word) fold(0);
  constexpr std::uint64_t kHash = 42;
  const std::uint64_t last = hash ^ (kHash ^ kHash >> 32) * kInverse;
  std::memcpy(digest.bytes.data() + kDigestBytes - sizeof last, &last, sizeof last);
  return digest;
}

TEST(DigestRows, AsksOnceForDigestsThatAreMadeToCollide) {
  constexpr std::int64_t kRows = 10'000;
  DigestRows rows;
  for (std::int64_t row = 1; row <= kRows; ++row)
    rows.add(same_under_the_mixer(static_cast<std::uint64_t>(row)), row);
  std::int64_t asked = 0;
  for (std::int64_t row = 1; row <= kRows; ++row) {
    const Digest digest = same_under_the_mixer(static_cast<std::uint64_t>(row));
    const auto is_it = [&](std::int64_t candidate) {
      ++asked;
      return candidate == row;
    };
    ASSERT_EQ(rows.find(digest, is_it), row);
  }
  EXPECT_EQ(asked, kRows) << "without a secret: " << kRows * (kRows + 1) / 2;
}

}  // namespace
}  // namespace shingled::storage::formats
