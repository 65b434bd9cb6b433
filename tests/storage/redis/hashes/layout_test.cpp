#include "storage/redis/hashes/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "storage/redis/route/slot_map.h"
#include "tests/storage/engine/random_fingerprint.h"
#include "tests/support/wire_vectors.h"

namespace shingled::storage::redis {
namespace {

using ::testing::ElementsAre;
using Kind = RedisReply::Kind;

RedisReply record_reply(const std::map<std::string_view, std::string>& fields) {
  RedisReply reply{.kind = Kind::kArray};
  for (const std::string_view name : kRecordFields) {
    const auto found = fields.find(name);
    reply.elements.push_back(found == fields.end()
                                 ? RedisReply{}
                                 : RedisReply{.kind = Kind::kText, .text = found->second});
  }
  return reply;
}

struct RecordCase {
  const char* why;
  std::map<std::string_view, std::string> fields;
  std::vector<FlagValue> flags;  ///< empty means: not a record
  std::uint32_t created = 0;
};

TEST(Layout, AsksForTheFieldsOfARecord) {
  CommandList commands;
  ask_record(commands, "fuzzy", RecordPart::kAnswer);
  ask_record(commands, "fuzzy", RecordPart::kWithSlots);
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_TRUE(commands.command(0).starts_with("*19\r\n$5\r\nHMGET\r\n$5\r\nfuzzy\r\n"));
  EXPECT_TRUE(commands.command(0).ends_with("$2\r\nV7\r\n"));
  EXPECT_TRUE(commands.command(1).starts_with("*20\r\n"));
  EXPECT_TRUE(commands.command(1).ends_with("$2\r\nV7\r\n$1\r\nS\r\n"));
  EXPECT_EQ(commands.slot(0), key_slot("fuzzy"));
}

TEST(Layout, ReadsRecords) {
  const RecordCase cases[] = {
      {"no fields", {}, {}},
      {"one list", {{"F", "50"}, {"V", "10"}, {"C", "1795228101"}}, {{50, 10}}, 1795228101},
      {"without a time, as fuzzyconvert writes", {{"F", "50"}, {"V", "10"}}, {{50, 10}}, 0},
      {"a flag without value", {{"F", "50"}, {"C", "5"}}, {}},
      {"a value without flag", {{"V", "5"}}, {}},
      {"a record needs the first list", {{"F1", "5"}, {"V1", "5"}}, {}},
      {"more lists, with a gap",
       {{"F", "1"}, {"V", "9"}, {"F3", "2"}, {"V3", "-4"}},
       {{1, 9}, {2, -4}}},
      {"half a list does not count", {{"F", "1"}, {"V", "9"}, {"F1", "2"}}, {{1, 9}}},
      {"the largest first, in any stored order",
       {{"F", "1"}, {"V", "1"}, {"F1", "2"}, {"V1", "3"}},
       {{2, 3}, {1, 1}}},
      {"values are clamped", {{"F", "1"}, {"V", "2147483657"}}, {{1, 2147483647}}},
      {"negative values, too", {{"F", "1"}, {"V", "-9000000000"}}, {{1, -2147483647 - 1}}},
      {"not a whole number", {{"F", "1"}, {"V", "1.5"}}, {}},
      {"a flag beyond 32 bits", {{"F", "4294967296"}, {"V", "1"}}, {}}};
  for (const RecordCase& c : cases) {
    const auto record = parse_record(record_reply(c.fields));
    ASSERT_EQ(record.has_value(), !c.flags.empty()) << c.why;
    if (!record) continue;
    const auto flags = record->flags.all();
    EXPECT_EQ(std::vector<FlagValue>(flags.begin(), flags.end()), c.flags) << c.why;
    EXPECT_EQ(record->created, c.created) << c.why;
  }
}

TEST(Layout, OtherRepliesAreNotRecords) {
  EXPECT_FALSE(parse_record({}));
  EXPECT_FALSE(parse_record({.kind = Kind::kError, .text = "WRONGTYPE"}));
  RedisReply numbers{.kind = Kind::kArray, .elements = std::vector<RedisReply>(17)};
  for (RedisReply& element : numbers.elements) element = {.kind = Kind::kInteger, .integer = 1};
  EXPECT_FALSE(parse_record(numbers));
}

TEST(Layout, ReadsBackTheSlots) {
  engine::Seeded random(5);
  const Shingles shingles = engine::random_shingles(random);
  const std::string text = slots_text(shingles);
  EXPECT_EQ(parse_slots(text), shingles);
  EXPECT_FALSE(parse_slots(""));
  EXPECT_FALSE(parse_slots(text.substr(0, text.rfind(','))));
  EXPECT_FALSE(parse_slots(text + ",0_1")) << "one slot twice";
  for (const char* bad :
       {"", "1", "1_", "_1", "32_1", "1_x", "1_1x", "-1_1", "1_18446744073709551616"}) {
    EXPECT_FALSE(parse_slot(bad)) << bad;
  }
}

RedisReply owner(char who) { return {.kind = Kind::kText, .text = std::string(kDigestBytes, who)}; }

struct SlotsCase {
  const char* why;
  std::vector<std::pair<char, std::size_t>> owners;  ///< '-' means no owner; interleaved
  std::uint32_t slots;                               ///< of 'w'; 0 means no winner
};

TEST(Layout, FindsTheOwnerOfMostSlots) {
  const SlotsCase cases[] = {{"all of them", {{'w', 32}}, 32},
                             {"the fewest that match", {{'w', 17}, {'-', 15}}, 17},
                             {"one slot too few", {{'w', 16}, {'-', 16}}, 0},
                             {"others have the rest", {{'w', 20}, {'a', 6}, {'b', 6}}, 20},
                             {"no slot has an owner", {{'-', 32}}, 0},
                             {"two halves", {{'w', 16}, {'a', 16}}, 0}};
  engine::Seeded random(7);
  for (const SlotsCase& c : cases) {
    std::vector<RedisReply> owners;
    for (const auto& [who, count] : c.owners) {
      for (std::size_t i = 0; i < count; ++i) {
        owners.push_back(who == '-' ? RedisReply{} : owner(who));
      }
    }
    for (int order = 0; order < 20; ++order) {
      const auto winner = slot_winner(owners);
      ASSERT_EQ(winner.has_value(), c.slots != 0) << c.why;
      if (winner) {
        EXPECT_EQ(winner->slots, c.slots) << c.why;
        EXPECT_EQ(winner->digest.bytes[63], 'w') << c.why;
      }
      std::shuffle(owners.begin(), owners.end(), random);
    }
  }
}

TEST(Layout, AnOwnerMustBeADigest) {
  EXPECT_FALSE(slot_winner({}));
  EXPECT_FALSE(slot_winner(
      std::vector<RedisReply>(32, RedisReply{.kind = Kind::kText, .text = std::string(63, 'x')})));
  EXPECT_FALSE(slot_winner(
      std::vector<RedisReply>(32, RedisReply{.kind = Kind::kError, .text = std::string(64, 'x')})));
}

TEST(Layout, NamesKeysAsRspamdDoes) {
  SHINGLED_NEED_WIRE_VECTORS();
  std::size_t seen = 0;
  for (const auto& sample : (*testing::wire_vectors())["storage"]) {
    if (!sample.contains("shingle_keys_first_two")) continue;
    ++seen;
    Digest digest;
    const Bytes bytes = testing::bytes_of(sample["digest_hex"]);
    std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
    const auto prefix = sample["prefix"].get<std::string>();
    const Bytes key = testing::bytes_of(sample["steps"][0]["hash_key_hex"]);
    EXPECT_EQ(record_key(prefix, digest), as_text(key));
    Shingles shingles{};
    for (std::size_t i = 0; i < kShingleCount; ++i) {
      shingles[i] = std::stoull(sample["shingles"][i].get<std::string>());
    }
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(slot_key(prefix, i, shingles[i]),
                sample["shingle_keys_first_two"][i].get<std::string>());
    }
    const auto& hash = sample["steps"][0]["hash"];
    if (hash.contains("S")) {
      EXPECT_EQ(slots_text(shingles), hash["S"].get<std::string>());
    }
  }
  EXPECT_EQ(seen, 2U);
}

}  // namespace
}  // namespace shingled::storage::redis
