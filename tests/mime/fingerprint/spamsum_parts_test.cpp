// Covers mime/fingerprint/spamsum.cpp: the free form.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "mime/fingerprint/spamsum.h"
#include "tests/support/seeded_random.h"

namespace shingled::fingerprint {
namespace {

std::string random_data(std::size_t size, std::uint64_t seed) {
  std::string bytes(size, '\0');
  testing::SeededRandom random(seed);
  random.fill({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
  return bytes;
}

/// The definition, word by word, with a division a byte and the window kept as bytes.
std::string by_definition(std::string_view bytes, std::uint64_t block_size) {
  std::string out;
  std::uint32_t piece = 0x28021967;
  std::uint32_t rolling = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::uint32_t sum = 0;
    std::uint32_t weighted = 0;
    std::uint32_t shifted = 0;
    for (std::size_t age = 0; age < 7 && age <= i; ++age) {
      const std::uint32_t byte = static_cast<std::uint8_t>(bytes[i - age]);
      sum += byte;
      weighted += (7 - static_cast<std::uint32_t>(age)) * byte;
      shifted ^= byte << (5 * age);
    }
    rolling = sum + weighted + shifted;
    piece = piece * 19 ^ static_cast<std::uint8_t>(bytes[i]);
    if (rolling % block_size != block_size - 1) continue;
    out += kSpamsumAlphabet[piece % 64];
    piece = 0x28021967;
  }
  if (rolling != 0) out += kSpamsumAlphabet[piece % 64];
  return out;
}

TEST(SpamsumParts, AreWhatTheDefinitionSays) {
  const std::uint64_t sizes[] = {3,   4,   5,    7,    64,   96,      100,     255,
                                 256, 768, 1000, 1024, 4096, 1048576, 1 << 30, (1 << 30) - 1};
  for (const std::uint64_t size : sizes) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::string bytes = random_data(seed * 331, seed + size);
      if (seed % 3 == 0) std::fill_n(bytes.begin(), bytes.size() / 2, '\xff');
      ASSERT_EQ(spamsum_parts(bytes, size), by_definition(bytes, size)) << size << ", " << seed;
    }
  }
}

TEST(SpamsumParts, OfASignaturesBlockSizeBeginAsItDoes) {
  for (std::size_t size = 0; size < 60'000; size += 997) {
    const std::string bytes = random_data(size, size);
    const Spamsum signature = spamsum(bytes);
    const std::string parts = spamsum_parts(bytes, signature.block_size);
    if (parts.size() <= Spamsum::kFirstMax) {
      EXPECT_EQ(parts, signature.first) << size;
    } else {  // the signature ends with one character for all that follows
      EXPECT_EQ(parts.substr(0, Spamsum::kFirstMax - 1),
                signature.first.substr(0, Spamsum::kFirstMax - 1))
          << size;
    }
  }
}

TEST(SpamsumParts, DoNotDependOnThePiecesTheDataComesIn) {
  std::mt19937_64 random(20'261'122);
  for (int round = 0; round < 100; ++round) {
    const std::string bytes = random_data(random() % 20'000, random());
    const std::uint64_t size = 3 + random() % 300;
    SpamsumPartsHasher hasher(size);
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t piece = std::min<std::size_t>(random() % 700, rest.size());
      hasher.update(rest.substr(0, piece));
      static_cast<void>(hasher.finish());  // looking changes nothing
      rest.remove_prefix(piece);
    }
    ASSERT_EQ(hasher.finish(), spamsum_parts(bytes, size)) << "round " << round;
  }
}

TEST(SpamsumParts, OfAPieceStandInTheWhole) {
  const std::string whole = random_data(100'000, 1);
  const std::string parts = spamsum_parts(whole, 256);
  for (std::size_t begin = 0; begin < 90'000; begin += 777) {
    const std::string piece = spamsum_parts(whole.substr(begin, 10'000), 256);
    ASSERT_GT(piece.size(), 10U);
    // All but the first two (the cut that ends the first may be missed) and the tail.
    EXPECT_NE(parts.find(piece.substr(2, piece.size() - 3)), std::string::npos) << begin;
  }
}

TEST(SpamsumParts, OfWhatIsNeverCutAreItsTail) {
  const struct {
    const char* why;
    std::string bytes;
    std::uint64_t block_size;
    std::size_t characters;
  } cases[] = {
      {"nothing", "", 768, 0},
      {"zeros: R stays 0", std::string(100'000, '\0'), 768, 0},
      {"one byte", "a", 768, 1},
      {"one letter again and again", std::string(5'000, 'x'), 768, 1},
      {"too small a block size counts as 3", "a", 0, 1},
      {"too large a one as 2^30", "a", ~std::uint64_t{0}, 1},
  };
  for (const auto& c : cases)
    EXPECT_EQ(spamsum_parts(c.bytes, c.block_size).size(), c.characters) << c.why;
}

}  // namespace
}  // namespace shingled::fingerprint
