#include "milter/counters/matched_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace shingled::milter::counters {
namespace {

rules::Lookup lookup(rules::Lookup::Outcome outcome, std::uint8_t digest) {
  rules::Lookup out;
  out.outcome = outcome;
  out.match.digest.bytes[0] = digest;
  return out;
}

TEST(MatchedHashes, AreTheStoredOnesEachOnce) {
  using Outcome = rules::Lookup::Outcome;
  const std::vector<rules::Lookup> lookups = {
      lookup(Outcome::kHit, 0xAB), lookup(Outcome::kMiss, 1), lookup(Outcome::kHit, 0xAB),
      lookup(Outcome::kTimeout, 2), lookup(Outcome::kHit, 3)};
  const auto pieces = matched_hashes(lookups);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].type, PieceType::kStoredHash);
  EXPECT_EQ(pieces[0].first, "ab" + std::string(2 * kDigestBytes - 2, '0'));
  EXPECT_EQ(pieces[0].second, "");
}

TEST(MatchedHashes, AreNotOfWhatIsQuoted) {
  std::vector<rules::Lookup> lookups = {lookup(rules::Lookup::Outcome::kHit, 1)};
  EXPECT_EQ(matched_hashes(lookups).size(), 1U);
  lookups[0].hash.quoted = true;
  EXPECT_TRUE(matched_hashes(lookups).empty());
}

TEST(MatchedFile, HasTheNamesOfListAndSample) {
  EXPECT_EQ(matched_file("bad", "a.exe"), (mime::Piece{PieceType::kKnownFile, "bad/a.exe", ""}));
}

}  // namespace
}  // namespace shingled::milter::counters
