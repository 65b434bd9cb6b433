#include "mime/fingerprint/spamsum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/support/seeded_random.h"

namespace shingled::fingerprint {
namespace {

std::string random_bytes(std::size_t size, std::uint64_t seed) {
  std::string bytes(size, '\0');
  testing::SeededRandom random(seed);
  random.fill({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
  return bytes;
}

std::string repeated(std::string_view what, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += what;
  return out;
}

std::string numbered_lines(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += "line " + std::to_string(i) + " of a text\n";
  return out;
}

// What ssdeep 2.14.1 prints for the same bytes.
TEST(Spamsum, IsWhatSsdeepPrints) {
  const struct {
    const char* why;
    std::string bytes;
    const char* signature;
  } cases[] = {
      {"nothing", "", "3::"},
      {"one byte", "a", "3:E:E"},
      {"a line", "The quick brown fox jumps over the lazy dog\n", "3:FJKKIUKacdn:FHIGM"},
      {"zeros, which are never cut", std::string(100'000, '\0'), "3::"},
      {"one letter again and again", std::string(5'000, 'x'), "3:H:H"},
      {"a period of three", repeated("abc", 20'000), "3:uL2:uL2"},
      {"a period of 257", repeated(repeated("0123456789abcdef", 16) + "!", 3'000),
       "48:L3XXXXXXXXXXXXXXXsXXXXXXXXXXXXXXXsXXXXXXXXXXXXXXXsXXXXXXXXXXXXX8:LL"},
      {"ends with seven zeros, so that there is no tail",
       repeated("The quick brown fox jumps over the lazy dog. ", 300) + std::string(7, '\0'),
       "12:Fg6666666666666666666666666666666666666666666666666666666666666f:FR"},
      {"text with numbers", numbered_lines(5'000),
       "3072:+wzxAHG10bq5WvuZIDSd8nm4JefsNCzQBBQXWFEr6J4qb01GHAxyj7KVUnmRgDS1:+"
       "wzxAHG10bq5WvuZIDSd8nm4JefsNCzd"},
      {"text with numbers and no tail", numbered_lines(50'000) + std::string(7, '\0'),
       "12288:jzxAHG10bq5WvuZIDSd8nm4JefsNCzQBBQXWFEr6J4qb01GHAxyj7KVUnmRgDSEy:"},
  };
  for (const auto& c : cases) EXPECT_EQ(spamsum(c.bytes).text(), c.signature) << c.why;
}

TEST(Spamsum, DoesNotDependOnThePiecesItComesIn) {
  std::mt19937_64 random(20'261'122);
  for (int round = 0; round < 100; ++round) {
    std::string bytes = random_bytes(random() % 20'000, random());
    if (round % 2 == 0) {  // no cut for a long time
      std::fill_n(bytes.begin(), bytes.size() / 2, '\0');
    }
    SpamsumHasher hasher;
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t piece = std::min<std::size_t>(random() % 700, rest.size());
      hasher.update(rest.substr(0, piece));
      rest.remove_prefix(piece);
    }
    ASSERT_EQ(hasher.finish(), spamsum(bytes)) << "round " << round;
  }
}

TEST(Spamsum, ReadsWhatItPrints) {
  for (std::size_t size = 0; size < 9'000; size += 97) {
    const Spamsum signature = spamsum(random_bytes(size, size));
    EXPECT_EQ(Spamsum::parse(signature.text()).value(), signature);
    EXPECT_EQ(Spamsum::parse(signature.text() + ",\"a:b,c\"").value(), signature);
  }
}

TEST(Spamsum, RefusesWhatIsNoSignature) {
  const struct {
    const char* why;
    std::string text;
  } cases[] = {
      {"nothing", ""},
      {"no parts", "3"},
      {"one part", "3:abc"},
      {"no block size", ":abc:abc"},
      {"a negative one", "-3:abc:abc"},
      {"not 3 * 2^n", "9:abc:abc"},
      {"nought", "0:abc:abc"},
      {"more than the largest", "6442450944:abc:abc"},
      {"beyond 64 bits", "99999999999999999999:abc:abc"},
      {"words behind the number", "3 :abc:abc"},
      {"a letter that none has", "3:ab-c:abc"},
      {"a third part", "3:abc:abc:abc"},
      {"too long", "3:" + std::string(65, 'a') + ":b"},
      {"the second too long", "3:a:" + std::string(65, 'b')},
  };
  for (const auto& c : cases) EXPECT_FALSE(Spamsum::parse(c.text)) << c.why;
}

}  // namespace
}  // namespace shingled::fingerprint
