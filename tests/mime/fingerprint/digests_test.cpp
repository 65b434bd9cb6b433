#include "mime/fingerprint/digests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/base/hex.h"
#include "tests/mime/vectors.h"

namespace shingled::fingerprint {
namespace {

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
