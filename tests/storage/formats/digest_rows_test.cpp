#include "storage/formats/digest_rows.h"

#include <gtest/gtest.h>

#include <unordered_map>

#include "tests/storage/engine/random_fingerprint.h"

namespace shingled::storage {
namespace {

TEST(DigestRows, AgreesWithAMap) {
  Seeded random(7);
  std::unordered_map<Digest, std::int64_t, DigestHash> expected;
  std::vector<Digest> digests;
  DigestRows rows;
  for (std::int64_t row = 1; row <= 20'000; ++row) {
    Digest digest = random_digest(random);
    // Many that differ in a few bytes only, in different places.
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
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(find(random_digest(random)), 0);
}

TEST(DigestRows, AsksForEachCandidateUntilOneIsIt) {
  Seeded random(8);
  const Digest digest = random_digest(random);
  DigestRows rows;
  rows.add(digest, 3);
  rows.add(digest, 9);  // stands for another digest with the same 64 bits
  EXPECT_EQ(rows.find(digest, [](std::int64_t row) { return row == 9; }), 9);
  EXPECT_EQ(rows.find(digest, [](std::int64_t) { return false; }), 0);
}

}  // namespace
}  // namespace shingled::storage
