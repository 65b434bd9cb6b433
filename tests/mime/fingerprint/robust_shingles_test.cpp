#include "mime/fingerprint/robust_shingles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "config/base/hex.h"
#include "mime/fingerprint/digests.h"
#include "mime/fingerprint/shingles.h"

namespace shingled::fingerprint {
namespace {

constexpr std::size_t kMatchSlots = 17;  // PROTOCOL.md 5.2

WordList numbered(std::size_t from, std::size_t to) {
  WordList words;
  for (std::size_t i = from; i < to; ++i) words.add("word" + std::to_string(i));
  return words;
}

WordList glued(const WordList& a, const WordList& b) {
  WordList words = a;
  for (std::size_t i = 0; i < b.size(); ++i) words.add(b[i]);
  return words;
}

std::size_t equal_slots(const WordList& a, const WordList& b, const HashOptions& options = {}) {
  const RobustKeys keys = derive_robust_keys(options);
  const Shingles one = *robust_fingerprint(keys, a).shingles;
  const Shingles other = *robust_fingerprint(keys, b).shingles;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < one.size(); ++i) equal += one[i] == other[i] ? 1U : 0U;
  return equal;
}

TEST(RobustFingerprint, IsTheStoredForm) {
  // Stored in databases: when this changes, kRobustForm must change, too.
  const Fingerprint print = robust_fingerprint(derive_robust_keys({}), numbered(0, 20));
  EXPECT_EQ(to_hex(print.digest.bytes).substr(0, 32), "b45400a4c780e4d08e6d2e06f82d5261");
  EXPECT_EQ(print.shingles->front(), 17295909344511988870U);
  EXPECT_EQ(print.shingles->back(), 13891038359901352693U);
}

TEST(RobustFingerprint, SharesNothingWithTheCompatibleHashes) {
  const WordList words = numbered(0, 100);
  const Fingerprint ours = robust_fingerprint(derive_robust_keys({}), words);
  for (const auto algorithm : {HashAlgorithm::kMumhash, HashAlgorithm::kSiphash,
                               HashAlgorithm::kXxhash, HashAlgorithm::kFasthash}) {
    const HashKeys keys = derive_hash_keys({.algorithm = algorithm});
    EXPECT_NE(ours.digest, word_digest(keys, words));
    EXPECT_NE(ours.digest, direct_digest(keys, words.glued(), ""));
    const Shingles theirs = make_shingles(keys, words);
    for (const std::uint64_t shingle : *ours.shingles) {
      EXPECT_THAT(theirs, ::testing::Not(::testing::Contains(shingle)));
    }
  }
}

TEST(RobustFingerprint, DependsOnBothKeysOfTheRuleAndNotOnItsAlgorithm) {
  const WordList words = numbered(0, 30);
  const auto print = [&](const HashOptions& options) {
    return robust_fingerprint(derive_robust_keys(options), words);
  };
  const Fingerprint plain = print({});
  EXPECT_EQ(print({.algorithm = HashAlgorithm::kSiphash}), plain);
  EXPECT_EQ(print({.fuzzy_key = "rspamd", .fuzzy_shingles_key = "rspamd"}), plain);
  EXPECT_NE(print({.fuzzy_key = "secret"}).digest, plain.digest);
  EXPECT_EQ(print({.fuzzy_key = "secret"}).shingles, plain.shingles);
  EXPECT_NE(print({.fuzzy_shingles_key = "secret"}).shingles, plain.shingles);
}

TEST(RobustFingerprint, TellsWordsApart) {
  const RobustKeys keys = derive_robust_keys({});
  WordList one, other;
  for (const char* word : {"ab", "c"}) one.add(word);
  for (const char* word : {"a", "bc"}) other.add(word);
  EXPECT_NE(robust_fingerprint(keys, one).digest, robust_fingerprint(keys, other).digest);
}

TEST(RobustFingerprint, MatchesByHeadAndWhole) {
  struct Case {
    const char* why;
    WordList a;
    WordList b;
    bool match;
  };
  const Case cases[] = {
      {"a word more in forty", numbered(0, 40), glued(numbered(0, 40), numbered(900, 901)), true},
      {"a word less in twenty", numbered(0, 20), numbered(1, 20), true},
      {"a footer in common", glued(numbered(100, 120), numbered(0, 200)),
       glued(numbered(200, 220), numbered(0, 200)), false},
      {"a letter-head in common", glued(numbered(0, 20), numbered(100, 180)),
       glued(numbered(0, 20), numbered(200, 280)), false},
      {"half in common", numbered(0, 60), numbered(20, 80), false},
      {"nothing in common", numbered(0, 50), numbered(50, 100), false},
  };
  for (const Case& c : cases) {
    // Chance decides near the edge, so the majority of ten sets of keys is asked.
    int matches = 0;
    for (char key = '0'; key <= '9'; ++key) {
      matches += equal_slots(c.a, c.b, {.fuzzy_shingles_key = {key}}) >= kMatchSlots ? 1 : 0;
    }
    EXPECT_EQ(matches, c.match ? 10 : 0) << c.why;
  }
}

RC_GTEST_PROP(RobustFingerprint, StrangersShareNoSlot, ()) {
  const auto sizes =
      *rc::gen::pair(rc::gen::inRange<std::size_t>(1, 300), rc::gen::inRange<std::size_t>(1, 300));
  RC_ASSERT(equal_slots(numbered(0, sizes.first), numbered(1000, 1000 + sizes.second)) == 0U);
}

}  // namespace
}  // namespace shingled::fingerprint
