// Covers mime/fingerprint/keyed_hash.cpp, mime/fingerprint/mumhash.cpp: the hash functions.
// The functions below everything, against primitives.json: 54 lengths and four seeds each, and a
// few of its values carried here.
#define XXH_INLINE_ALL
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <functional>
#include <string>

#include "config/base/hex.h"
#include "mime/fingerprint/keyed_hash.h"
#include "mime/fingerprint/mumhash.h"
#include "tests/mime/vectors.h"

namespace shingled::fingerprint {
namespace {

/// The input the vectors are made of.
std::string pattern(std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>((131 * i + 7) % 256);
  return bytes;
}

struct Case {
  const char* why;
  std::size_t size;
  std::uint64_t seed;
  std::uint64_t expected;
};
constexpr Case kMumCases[] = {
    {"nothing at all", 0, 0, 0},
    {"one byte: the tail", 1, 0, 0x6622a920d807216e},
    {"a whole lane", 8, 0, 0x3258b9765d1d79ed},
    {"lane and tail", 9, 1, 0xbbc233205fb1191f},
    {"two lanes less one", 15, 0x0123456789abcdef, 0xeae3e4945fd8117c},
};

TEST(Mumhash, GivesThePublishedValues) {
  for (const Case& c : kMumCases) {
    EXPECT_EQ(mumhash(pattern(c.size), c.seed), c.expected) << c.why;
  }
}

TEST(Mumhash, OfAWordReadOnceEqualsTheWholeFunction) {
  for (std::size_t size = 0; size <= kMumWordBytesMax; ++size) {
    const std::string word = pattern(size);
    for (const std::uint64_t seed : {0ULL, 1ULL, 0x0123456789abcdefULL, ~0ULL}) {
      EXPECT_EQ(mum_end(mum_begin(seed, size), mum_word(word)), mumhash(word, seed)) << size;
    }
  }
}

using SeededHash = std::function<std::uint64_t(const std::string&, std::uint64_t)>;

void expect_table(const nlohmann::json& table, const SeededHash& hash) {
  std::size_t checked = 0;
  for (const auto& [seed, lengths] : table.items()) {
    for (const auto& [length, value] : lengths.items()) {
      EXPECT_EQ(hash(pattern(std::stoul(length)), std::stoull(seed, nullptr, 16)),
                std::stoull(value.get<std::string>(), nullptr, 16))
          << seed << " " << length;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 4U * 54U);
}

TEST(Mumhash, EqualsTheVectors) {
  SHINGLED_LOAD_VECTORS(primitives, "primitives.json");
  expect_table(primitives["mumhash"],
               [](const std::string& data, std::uint64_t seed) { return mumhash(data, seed); });
}

TEST(Xxhash, EqualsTheVectors) {
  SHINGLED_LOAD_VECTORS(primitives, "primitives.json");
  expect_table(primitives["xxh64"], [](const std::string& data, std::uint64_t seed) {
    return XXH64(data.data(), data.size(), seed);
  });
  expect_table(primitives["xxh3_64_seed"], [](const std::string& data, std::uint64_t seed) {
    return XXH3_64bits_withSeed(data.data(), data.size(), seed);
  });
}

TEST(Siphash, EqualsTheVectors) {
  SHINGLED_LOAD_VECTORS(primitives, "primitives.json");
  std::size_t checked = 0;
  for (const auto& [key_hex, lengths] : primitives["siphash24"].items()) {
    const Bytes key = from_hex(key_hex).value();
    for (const auto& [length, value] : lengths.items()) {
      EXPECT_EQ(siphash(std::span<const std::uint8_t, kSipKeyBytes>(key.data(), kSipKeyBytes),
                        pattern(std::stoul(length))),
                std::stoull(value.get<std::string>(), nullptr, 16));
      ++checked;
    }
  }
  EXPECT_EQ(checked, 3U * 54U);
}

}  // namespace
}  // namespace shingled::fingerprint
