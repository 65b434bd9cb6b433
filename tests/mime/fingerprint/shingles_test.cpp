#include "mime/fingerprint/shingles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "config/base/hex.h"
#include "mime/fingerprint/digests.h"
#include "mime/fingerprint/mumhash.h"
#include "tests/mime/vectors.h"

namespace shingled::fingerprint {
namespace {

constexpr HashAlgorithm kAlgorithms[] = {HashAlgorithm::kMumhash, HashAlgorithm::kSiphash,
                                         HashAlgorithm::kXxhash, HashAlgorithm::kFasthash};

HashAlgorithm algorithm_named(const std::string& name) {
  static const std::map<std::string, HashAlgorithm> kNames = {
      {"mumhash", HashAlgorithm::kMumhash},
      {"siphash", HashAlgorithm::kSiphash},
      {"xxhash", HashAlgorithm::kXxhash},
      {"fasthash", HashAlgorithm::kFasthash}};
  return kNames.at(name);
}

WordList some_words(std::size_t count) {
  WordList words;
  for (std::size_t i = 0; i < count; ++i) words.add("word" + std::to_string(i * i % 97));
  return words;
}

TEST(Shingles, DoNotSeeTheLastTwoWords) {
  WordList one = some_words(40);
  WordList other = some_words(40);
  for (const char* word : {"this", "way"}) one.add(word);
  for (const char* word : {"that", "path"}) other.add(word);
  for (const HashAlgorithm algorithm : kAlgorithms) {
    const HashKeys keys = derive_hash_keys({.algorithm = algorithm});
    EXPECT_EQ(make_shingles(keys, one), make_shingles(keys, other));
  }
}

TEST(Shingles, OfNothingAreAllOnes) {
  for (const HashAlgorithm algorithm : kAlgorithms) {
    const HashKeys keys = derive_hash_keys({.algorithm = algorithm});
    EXPECT_THAT(make_shingles(keys, {}), ::testing::Each(~0ULL));
    EXPECT_THAT(make_structure_shingles(keys, {}), ::testing::Each(~0ULL));
  }
}

/// By HASHING.md 3.3, word by word and seed by seed.
Shingles mum_shingles_by_the_book(const HashKeys& keys, const WordList& words) {
  Shingles minima;
  minima.fill(~0ULL);
  for (std::size_t i = 0; i < kShingleCount; ++i) {
    const auto hash = [&](std::size_t p, std::size_t back) {
      return p < back ? 0 : mumhash(words[p - back], keys.seeds[i]);
    };
    for (std::size_t p = 0; p + 2 < words.size(); ++p) {
      minima[i] = std::min(minima[i], hash(p, 0) ^ (hash(p, 1) >> 8) ^ (hash(p, 2) >> 16));
    }
  }
  return minima;
}

TEST(Shingles, OfRepeatedAndOfLongWordsGoByTheBook) {
  const HashKeys keys = derive_hash_keys({.algorithm = HashAlgorithm::kMumhash});
  std::minstd_rand random(8);
  for (int round = 0; round < 40; ++round) {
    const std::size_t kinds = 2 + random() % 400;
    WordList words;
    for (std::size_t i = 0; i < 400; ++i) {
      const std::size_t kind = random() % kinds;
      words.add(std::string(kind % 36, 'a') + std::to_string(kind));
    }
    EXPECT_EQ(make_shingles(keys, words), mum_shingles_by_the_book(keys, words)) << kinds;
  }
}

TEST(Shingles, OfAStructureWeighTheFirstTokenOfAWindowMost) {
  const HashKeys keys = derive_hash_keys({.algorithm = HashAlgorithm::kMumhash});
  const WordList tokens = some_words(3);
  const std::uint64_t seed = keys.seeds[5];
  EXPECT_EQ(make_structure_shingles(keys, tokens)[5], mumhash(tokens[0], seed) ^
                                                          (mumhash(tokens[1], seed) >> 8) ^
                                                          (mumhash(tokens[2], seed) >> 16));
  EXPECT_EQ(make_structure_shingles(keys, some_words(2))[5],
            mumhash(tokens[0], seed) ^ (mumhash(tokens[1], seed) >> 8));
}

TEST(Shingles, OfAStructureUseMumhashInSiphashRules) {
  const WordList tokens = some_words(20);
  EXPECT_EQ(
      make_structure_shingles(derive_hash_keys({.algorithm = HashAlgorithm::kSiphash}), tokens),
      make_structure_shingles(derive_hash_keys({.algorithm = HashAlgorithm::kMumhash}), tokens));
}

TEST(Shingles, EqualTheVectors) {
  SHINGLED_LOAD_VECTORS(primitives, "primitives.json");
  for (const auto& expected : primitives["shingles"]) {
    WordList stems;
    for (std::size_t i = 0; i < expected["words"].get<std::size_t>(); ++i) {
      stems.add(primitives["word_list"][i].get<std::string>());
    }
    const HashKeys keys = derive_hash_keys({.algorithm = algorithm_named(expected["algorithm"]),
                                            .fuzzy_shingles_key = expected["fuzzy_shingles_key"]});
    const Shingles shingles = make_shingles(keys, stems);
    for (std::size_t i = 0; i < kShingleCount; ++i) {
      EXPECT_EQ(std::to_string(shingles[i]), expected["shingles"][i].get<std::string>())
          << expected["algorithm"] << " " << stems.size() << " words, " << i;
    }
  }
}

/// The kept stems of every part of words.json that lists its tokens, by mail and part index.
std::map<std::pair<std::string, int>, WordList> stems_of_mails(const nlohmann::json& words) {
  std::map<std::pair<std::string, int>, WordList> stems;
  for (const auto& [name, mail] : words["mails"].items()) {
    for (const auto& part : mail["parts"]) {
      if (!part.contains("tokens")) continue;
      WordList& list = stems[{name, part["part"].get<int>()}];
      for (const auto& token : part["tokens"]) {
        const bool whole = token.is_string();
        if (!whole && token.size() > 3) continue;  // marked: not hashed
        const std::string stem = whole ? token : token[2];
        if (!stem.empty()) list.add(stem);
      }
    }
  }
  return stems;
}

// Every packet in words form a real rspamd sent for the 234 mails whose tokens are listed.
TEST(Shingles, AndDigestsOfRealStemsEqualThePacketsOfRspamd) {
  SHINGLED_LOAD_VECTORS(words, "words.json");
  SHINGLED_LOAD_VECTORS(hashes, "hashes.json");
  const auto stems = stems_of_mails(words);
  std::map<std::string, HashKeys> rules;
  for (const auto& rule : hashes["rules"]) {
    rules[rule["name"]] = derive_hash_keys({.algorithm = algorithm_named(rule["algorithm"]),
                                            .fuzzy_key = rule["fuzzy_key"],
                                            .fuzzy_shingles_key = rule["fuzzy_shingles_key"]});
  }
  std::size_t checked = 0;
  for (const auto& [name, packets] : hashes["mails"].items()) {
    for (const auto& packet : packets) {
      const auto part = stems.find({name, packet["part"].get<int>()});
      if (packet["form"] != "words" || part == stems.end()) continue;
      const HashKeys& keys = rules.at(packet["rule"]);
      ++checked;
      EXPECT_EQ(to_hex(word_digest(keys, part->second).bytes),
                packet["digest_hex"].get<std::string>())
          << name;
      const Shingles shingles = make_shingles(keys, part->second);
      for (std::size_t i = 0; i < kShingleCount; ++i) {
        EXPECT_EQ(std::to_string(shingles[i]), packet["shingles"][i].get<std::string>()) << name;
      }
    }
  }
  EXPECT_EQ(checked, 1512U);
}

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
