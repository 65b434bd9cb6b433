#include "mime/fingerprint/hash_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>

#include "config/base/hex.h"
#include "tests/mime/vectors.h"

namespace shingled::fingerprint {
namespace {

std::string hex16(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, value);
  return text;
}

TEST(HashKeys, AnEmptyOptionMeansTheBuiltInKey) {
  const HashKeys implied = derive_hash_keys({});
  const HashKeys named = derive_hash_keys({.fuzzy_key = "rspamd", .fuzzy_shingles_key = "rspamd"});
  EXPECT_EQ(implied.hash_key, named.hash_key);
  EXPECT_EQ(implied.seeds, named.seeds);
  EXPECT_EQ(to_hex(implied.shingles_key), "ef43ae80cc8dc34c6f1bd6181bae8774");
}

TEST(HashKeys, TheTwoKeysAreIndependent) {
  const HashKeys plain = derive_hash_keys({});
  const HashKeys other = derive_hash_keys({.fuzzy_key = "other"});
  EXPECT_NE(plain.hash_key, other.hash_key);
  EXPECT_EQ(plain.seeds, other.seeds);
}

TEST(HashKeys, EqualTheVectors) {
  SHINGLED_LOAD_VECTORS(primitives, "primitives.json");
  for (const auto& [text, key] : primitives["keys"]["fuzzy_key"].items()) {
    EXPECT_EQ(to_hex(key_from_text(text)), key.get<std::string>()) << text;
  }
  for (const auto& [text, expected] : primitives["keys"]["fuzzy_shingles_key"].items()) {
    const HashKeys keys = derive_hash_keys({.fuzzy_shingles_key = text});
    EXPECT_EQ(to_hex(keys.shingles_key), expected["key16"].get<std::string>());
    for (std::size_t i = 0; i < kShingleCount; ++i) {
      EXPECT_EQ(to_hex(keys.generators[i]), expected["generators"][i].get<std::string>()) << i;
      EXPECT_EQ(hex16(keys.seeds[i]), expected["seeds"][i].get<std::string>()) << i;
    }
  }
}

}  // namespace
}  // namespace shingled::fingerprint
