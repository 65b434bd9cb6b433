#include "mime/fingerprint/digests.h"

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

WordList words_of(std::initializer_list<std::string_view> words) {
  WordList list;
  for (const std::string_view word : words) list.add(word);
  return list;
}

TEST(Digests, OfWordsIgnoreWhereAWordEnds) {
  const HashKeys keys = derive_hash_keys({});
  EXPECT_EQ(word_digest(keys, words_of({"ab", "c"})), word_digest(keys, words_of({"a", "bc"})));
}

TEST(Digests, OfDataDoNotDependOnARule) {
  const HashKeys keys = derive_hash_keys({.fuzzy_key = "ours"});
  EXPECT_NE(direct_digest(keys, "bytes", ""), data_digest("bytes"));
  EXPECT_EQ(direct_digest(derive_hash_keys({}), "bytes", ""), data_digest("bytes"));
}

TEST(Digests, OfShortTextsEndInTheSubject) {
  const HashKeys keys = derive_hash_keys({});
  EXPECT_EQ(direct_digest(keys, "text ", "subject"), direct_digest(keys, "text subject", ""));
}

TEST(Digests, EqualTheVectors) {
  SHINGLED_LOAD_VECTORS(primitives, "primitives.json");
  for (const auto& expected : primitives["digests"]) {
    WordList stems;
    for (std::size_t i = 0; i < expected["words"].get<std::size_t>(); ++i) {
      stems.add(primitives["word_list"][i].get<std::string>());
    }
    const HashKeys keys = derive_hash_keys({.fuzzy_key = expected["fuzzy_key"]});
    EXPECT_EQ(to_hex(word_digest(keys, stems).bytes), expected["digest"].get<std::string>());
  }
  const auto& data = primitives["data_digest"];
  const Bytes input = from_hex(data["input"].get<std::string>()).value();
  EXPECT_EQ(to_hex(data_digest(as_text(input)).bytes), data["digest"].get<std::string>());
}

}  // namespace
}  // namespace shingled::fingerprint
