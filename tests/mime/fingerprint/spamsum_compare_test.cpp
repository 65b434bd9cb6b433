#include "mime/fingerprint/spamsum_compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace shingled::fingerprint {
namespace {

// What `ssdeep -k -a` counts.
TEST(SpamsumScore, IsWhatSsdeepCounts) {
  const struct {
    const char* why;
    const char* one;
    const char* other;
    int score;
  } cases[] = {
      {"equal", "96:T7wkoH6IrIKc66mC32lD4BOTmxEajEtdhzEIfXR8VPBX:wFCKRC32lD47RjUdh78V5",
       "96:T7wkoH6IrIKc66mC32lD4BOTmxEajEtdhzEIfXR8VPBX:wFCKRC32lD47RjUdh78V5", 100},
      {"equal and very short", "3:a:a", "3:a:a", 100},
      {"empty", "3::", "3::", 100},
      {"some letters changed",
       "96:T7wkoH6IrIKc66mC32lD4BOTmxEajEtdhzEIfXR8VPBX:wFCKRC32lD47RjUdh78V5",
       "96:T7wkoH6IrIKc66mCxxlD4BOTmxEaEtdhzEIfXyR8VPBX:wFCKRC32D47RUdh78V5", 96},
      {"only the neighbouring block size is alike",
       "48:zzzyyyxxxwwwvvvuuu:T7wkoH6IrIKc66mC32lD4BOTmxEajEt",
       "96:T7wkoH6IrIKc66mC32lD4BOTmxEajEtdhzEIfXR8VPBX:wFCKRC32lD47RjUdh78V5", 83},
      {"two steps between the block sizes", "24:T7wkoH6IrIKc66mC32lD4BOT:T7wkoH6IrIKc66mC32lD4BOT",
       "96:T7wkoH6IrIKc66mC32lD4BOT:T7wkoH6IrIKc66mC32lD4BOT", 0},
      {"six letters in a row in common", "96:abcdefUVWXYZ:q", "96:123abcdef456:r", 0},
      {"seven letters in a row in common", "96:abcdefgUVWXYZ:q", "96:123abcdefg456:r", 55},
      {"bounded by the small block size", "3:abcdefghijkl:mnopqrs", "3:abcdefghijkm:mnopqrs", 14},
      {"bounded, a step larger", "6:abcdefghijklabc:mnopqrs", "6:abcdefghijklabd:mnopqrs", 30},
      {"runs count as three", "96:abcaaaaaaaaaaaaadefghijkl:q", "96:abcaaadefghijkl:q", 100},
      {"in common only with the runs cut", "96:xxxxxxxabcd:q", "96:xxxabcd:r", 100},
      {"all 64 letters", "192:ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/:q",
       "192:/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+:r", 99},
      {"the halves alike and the wholes not", "96:T7wkoH6IrIKc66mC32lD4B:wFCKRC32lD47RjUdh78V5",
       "96:qqqwwweeerrrtttyyyuuu:wFCKRC32lD47RjUdh78V6", 96},
      {"a part moved", "192:AAABBBCCCDDDEEEFFFGGGHHHIIIJJJKKKLLLMMM:a",
       "192:HHHIIIJJJKKKLLLMMMAAABBBCCCDDDEEEFFFGGG:b", 55},
  };
  for (const auto& c : cases) {
    const Spamsum one = Spamsum::parse(c.one).value();
    const Spamsum other = Spamsum::parse(c.other).value();
    EXPECT_EQ(spamsum_score(one, other), c.score) << c.why;
    EXPECT_EQ(spamsum_score(other, one), c.score) << c.why << ", the other way round";
  }
}

std::vector<std::uint32_t> keys_of(const Spamsum& signature) {
  std::vector<std::uint32_t> keys;
  spamsum_keys(signature, keys);
  std::sort(keys.begin(), keys.end());
  return keys;
}

bool share_a_key(const Spamsum& one, const Spamsum& other) {
  const std::vector<std::uint32_t> a = keys_of(one);
  const std::vector<std::uint32_t> b = keys_of(other);
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

TEST(SpamsumKeys, AreSharedByAllThatHaveAScore) {
  std::mt19937 random(31);
  const auto letters = [&random](std::size_t size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += kSpamsumAlphabet[random() % 6];
    return text;
  };
  int alike = 0;
  for (int round = 0; round < 500; ++round) {
    const std::string common = letters(random() % 12);
    const Spamsum one{.block_size = 96, .first = letters(8) + common, .second = letters(5)};
    const Spamsum other{.block_size = round % 2 == 0 ? 96U : 48U,
                        .first = letters(4),
                        .second = common + letters(9)};
    if (spamsum_score(one, other) == 0) continue;
    ++alike;
    EXPECT_TRUE(share_a_key(one, other)) << one.text() << ' ' << other.text();
  }
  EXPECT_GT(alike, 20);
}

TEST(SpamsumKeys, OfShortSignaturesStandForTheWhole) {
  const Spamsum shortest{.block_size = 3, .first = "ab", .second = "c"};
  EXPECT_EQ(keys_of(shortest).size(), 1U);
  EXPECT_TRUE(share_a_key(shortest, shortest));
  EXPECT_FALSE(share_a_key(shortest, {.block_size = 3, .first = "ab", .second = "d"}));
}

TEST(PartKeys, AreOneForEachDistinctNgram) {
  std::vector<std::uint32_t> keys;
  part_keys("abcdeabcde", keys);
  EXPECT_EQ(keys.size(), 5U) << "the sixth n-gram is the first again";
  EXPECT_EQ(std::set<std::uint32_t>(keys.begin(), keys.end()).size(), keys.size());
  part_keys_in_turn("abcdeabcde", keys);
  ASSERT_EQ(keys.size(), 6U);
  EXPECT_EQ(keys.front(), keys.back());
  part_keys("abcd", keys);
  EXPECT_TRUE(keys.empty());
}

TEST(PartKeys, OfManyPartsAreEachThereOnce) {
  std::mt19937 random(7);
  std::string parts;
  for (int i = 0; i < 3000; ++i) parts += kSpamsumAlphabet[random() % 3];
  std::vector<std::uint32_t> all;
  part_keys_in_turn(parts, all);
  std::vector<std::uint32_t> once;
  part_keys(parts, once);
  EXPECT_EQ(std::set<std::uint32_t>(all.begin(), all.end()),
            std::set<std::uint32_t>(once.begin(), once.end()));
  EXPECT_EQ(std::set<std::uint32_t>(once.begin(), once.end()).size(), once.size());
}

}  // namespace
}  // namespace shingled::fingerprint
