// Covers storage/redis/hashes/look_up.cpp, storage/redis/hashes/update_sender.cpp.
#include "storage/redis/hashes/redis_store.h"

#include <gmock/gmock.h>

#include "tests/storage/redis/hashes/redis_fixture.h"
#include "tests/support/fake_store.h"
#include "tests/support/wire_vectors.h"

namespace shingled::storage::redis {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TEST_F(RedisStoreTest, FindsWhatItStored) {
  const Fingerprint text = engine::random_fingerprint(random_);
  EXPECT_FALSE(check(text));
  ASSERT_TRUE(apply(add(text, 10, 50)));
  const auto match = check(text);
  ASSERT_TRUE(match);
  EXPECT_TRUE(match->exact);
  EXPECT_EQ(match->digest, text.digest);
  EXPECT_EQ(match->probability(), 1.0F);
  EXPECT_THAT(flags_of(match), ElementsAre(FlagValue{50, 10}));
  EXPECT_NEAR(match->created, static_cast<double>(clock_.wall().time_since_epoch().count()), 120);
}

struct NearCase {
  std::size_t slots;
  float probability;  ///< 0 means a miss
};

TEST_F(RedisStoreTest, FindsNearMatchesFromSeventeenSlotsOn) {
  const NearCase cases[] = {{32, 0.96875F}, {31, 0.96875F}, {30, 0.9375F}, {17, 0.53125F}, {16, 0}};
  for (const NearCase& c : cases) {
    const Fingerprint text = engine::random_fingerprint(random_);
    ASSERT_TRUE(apply(add(text)));
    const auto match = check(engine::near_duplicate(text, c.slots, random_));
    ASSERT_EQ(match.has_value(), c.probability > 0) << c.slots;
    if (!match) continue;
    EXPECT_EQ(match->digest, text.digest);
    EXPECT_EQ(match->slots, c.slots);
    EXPECT_EQ(match->probability(), c.probability) << c.slots;
  }
}

TEST_F(RedisStoreTest, AnswersABatchInItsOrder) {
  std::vector<Fingerprint> texts;
  std::vector<Question> questions;
  for (int i = 0; i < 30; ++i) texts.push_back(engine::random_fingerprint(random_));
  for (std::size_t i = 0; i < texts.size(); i += 3) {
    ASSERT_TRUE(apply(add(texts[i], static_cast<std::int32_t>(i) + 1)));
    texts[i + 1] = engine::near_duplicate(texts[i], 20, random_);
  }
  for (const Fingerprint& text : texts) questions.push_back({&text.digest, &*text.shingles});
  std::vector<std::optional<Match>> answers(questions.size());
  ASSERT_TRUE(store_->check_batch(questions, 0, answers));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_EQ(answers[i].has_value(), i % 3 != 2) << i;
    if (!answers[i]) continue;
    EXPECT_EQ(answers[i]->digest, texts[i - i % 3].digest) << i;
    EXPECT_EQ(answers[i]->exact, i % 3 == 0) << i;
    EXPECT_EQ(answers[i]->flags[0].value, i - i % 3 + 1) << i;
  }
}

/// How often Redis was asked for slots.
std::uint64_t slots_asked(const testing::RedisProcess& redis) {
  const std::string stats = redis.ask({"INFO", "commandstats"}).text;
  constexpr std::string_view kLine = "cmdstat_mget:calls=";
  const std::size_t at = stats.find(kLine);
  return at == std::string::npos ? 0 : std::stoull(stats.substr(at + kLine.size()));
}

TEST_F(RedisStoreTest, AsksForSlotsSeparatelyWhileMostHitsAreExact) {
  const Fingerprint known = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(known, 3)));
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(check(known));
  const std::uint64_t before = slots_asked(redis_);
  ASSERT_TRUE(check(known)->exact);
  EXPECT_EQ(slots_asked(redis_), before);

  const Fingerprint near = engine::near_duplicate(known, 20, random_);
  const Fingerprint strange = engine::random_fingerprint(random_);
  const Fingerprint file{engine::random_fingerprint(random_).digest, std::nullopt};
  std::vector<Question> questions;
  for (const Fingerprint* text : {&near, &known, &strange}) {
    questions.push_back({&text->digest, &*text->shingles});
  }
  questions.push_back({&file.digest, nullptr});
  std::vector<std::optional<Match>> answers(questions.size());
  ASSERT_TRUE(store_->check_batch(questions, 0, answers));
  EXPECT_EQ(slots_asked(redis_), before + 2);
  ASSERT_TRUE(answers[0]);
  EXPECT_EQ(answers[0]->digest, known.digest);
  EXPECT_EQ(answers[0]->slots, 20U);
  ASSERT_TRUE(answers[1]);
  EXPECT_TRUE(answers[1]->exact);
  EXPECT_FALSE(answers[2]);
  EXPECT_FALSE(answers[3]);

  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(check(strange));
  const std::uint64_t at_once = slots_asked(redis_);
  ASSERT_TRUE(check(known)->exact);
  EXPECT_EQ(slots_asked(redis_), at_once + 1) << "with mostly misses, slots are read at once";
}

TEST_F(RedisStoreTest, ReturnsAllMatchesBestFirst) {
  const Fingerprint text = engine::random_fingerprint(random_);
  const Fingerprint near = engine::near_duplicate(text, 20, random_);
  ASSERT_TRUE(apply(add({near.digest, std::nullopt}, 5)));
  ASSERT_TRUE(apply(add(text, 9)));
  const auto matches = store_->check_all(near, 0, 8);
  ASSERT_THAT(matches, SizeIs(2));
  EXPECT_EQ(matches[0].digest, near.digest);
  EXPECT_EQ(matches[1].digest, text.digest);
  EXPECT_THAT(store_->check_all(near, 0, 1), SizeIs(1));
}

TEST_F(RedisStoreTest, ASlotWithoutItsRecordIsNoMatch) {
  const Fingerprint text = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text)));
  redis_.ask({"DEL", record_key("fuzzy", text.digest)});
  EXPECT_FALSE(check(engine::near_duplicate(text, 32, random_)));
}

struct Step {
  const char* why;
  Update::Kind kind;
  std::uint32_t flag;
  std::int32_t value;
  bool weak;
  std::vector<FlagValue> flags;  ///< after the step
};

TEST_F(RedisStoreTest, KeepsListsAsRspamdDoes) {
  using Kind = Update::Kind;
  const Step steps[] = {
      {"the first list", Kind::kAdd, 1, 10, false, {{1, 10}}},
      {"the same list again", Kind::kAdd, 1, -3, false, {{1, 7}}},
      {"a list with more becomes the first one", Kind::kAdd, 2, 20, false, {{2, 20}, {1, 7}}},
      {"the other one is first again", Kind::kAdd, 1, 14, false, {{1, 21}, {2, 20}}},
      {"one of them is deleted", Kind::kDelete, 1, 0, false, {{2, 20}}},
      {"a list that is not there", Kind::kDelete, 77, 0, false, {{2, 20}}},
      {"a new list in the free place", Kind::kAdd, 3, 1, false, {{2, 20}, {3, 1}}},
      {"4", Kind::kAdd, 4, 2, false, {{2, 20}, {4, 2}, {3, 1}}},
      {"5", Kind::kAdd, 5, 3, false, {{2, 20}, {5, 3}, {4, 2}, {3, 1}}},
      {"6", Kind::kAdd, 6, 4, false, {{2, 20}, {6, 4}, {5, 3}, {4, 2}, {3, 1}}},
      {"7", Kind::kAdd, 7, 5, false, {{2, 20}, {7, 5}, {6, 4}, {5, 3}, {4, 2}, {3, 1}}},
      {"8", Kind::kAdd, 8, 6, false, {{2, 20}, {8, 6}, {7, 5}, {6, 4}, {5, 3}, {4, 2}, {3, 1}}},
      {"the eighth list",
       Kind::kAdd,
       9,
       7,
       false,
       {{2, 20}, {9, 7}, {8, 6}, {7, 5}, {6, 4}, {5, 3}, {4, 2}, {3, 1}}},
      {"a weak ninth list",
       Kind::kAdd,
       10,
       30,
       true,
       {{2, 20}, {9, 7}, {8, 6}, {7, 5}, {6, 4}, {5, 3}, {4, 2}, {3, 1}}},
      {"a ninth list that is not larger than the smallest",
       Kind::kAdd,
       10,
       1,
       false,
       {{2, 20}, {9, 7}, {8, 6}, {7, 5}, {6, 4}, {5, 3}, {4, 2}, {3, 1}}},
      {"a ninth list that is larger",
       Kind::kAdd,
       10,
       30,
       false,
       {{10, 30}, {2, 20}, {9, 7}, {8, 6}, {7, 5}, {6, 4}, {5, 3}, {4, 2}}},
      {"all lists are deleted", Kind::kDelete, 0, 0, false, {}}};
  const Fingerprint text = engine::random_fingerprint(random_);
  for (const Step& step : steps) {
    ASSERT_TRUE(apply({.kind = step.kind,
                       .flag = step.flag,
                       .value = step.value,
                       .weak = step.weak,
                       .fingerprint = text}))
        << step.why;
    EXPECT_EQ(flags_of(check(text)), step.flags) << step.why;
  }
  EXPECT_THAT(stored_keys(), IsEmpty()) << "nothing is left behind";
}

TEST_F(RedisStoreTest, WritesByteForByteWhatRspamd4Writes) {
  SHINGLED_NEED_WIRE_VECTORS();
  for (const auto& sample : (*testing::wire_vectors())["storage"]) {
    if (sample["server"] != "rspamd 4.1.6 redis") continue;
    Fingerprint text;
    const Bytes digest = testing::bytes_of(sample["digest_hex"]);
    std::copy(digest.begin(), digest.end(), text.digest.bytes.begin());
    text.shingles.emplace();
    for (std::size_t i = 0; i < kShingleCount; ++i) {
      (*text.shingles)[i] = std::stoull(sample["shingles"][i].get<std::string>());
    }
    options_.redis.prefix = sample["prefix"];
    options_.expire = std::chrono::seconds(sample["expire"].get<int>());
    open();
    for (const auto& step : sample["steps"]) {
      const auto& op = step["op"];
      ASSERT_EQ(op["cmd"], "WRITE");
      Fingerprint given = text;
      if (!op["shingles"].get<bool>()) given.shingles.reset();
      ASSERT_TRUE(apply(add(given, op["value"], op["flag"])));
      auto expected = step["hash"].get<std::map<std::string, std::string>>();
      auto is = fields(text.digest);
      EXPECT_FALSE(is["C"].empty());
      expected["C"] = is["C"];
      EXPECT_EQ(is, expected);
      EXPECT_EQ(count(), 1) << "ours counts hashes, rspamd counts adds";
      EXPECT_NEAR(static_cast<double>(ttl(record_key(options_.redis.prefix, text.digest))),
                  step["hash_ttl"].get<double>(), 60);
    }
    EXPECT_EQ(redis_.ask({"GET", options_.redis.prefix + "local"}).text, "3");
    EXPECT_THAT(stored_keys(), SizeIs(33));
    const std::string slot = sample["shingle_keys_first_two"][1];
    EXPECT_EQ(redis_.ask({"GET", slot}).text, as_text(text.digest.bytes));
    EXPECT_NEAR(static_cast<double>(ttl(slot)), sample["shingle_ttl"].get<double>(), 60);
  }
}

TEST_F(RedisStoreTest, FindsWhatRspamd3Wrote) {
  const Fingerprint text = engine::random_fingerprint(random_);
  const std::string key = record_key("fuzzy", text.digest);
  redis_.ask({"HSET", key, "F", "11", "V", "7", "C", "1700000000"});
  for (std::size_t i = 0; i < kShingleCount; ++i) {
    redis_.ask(
        {"SETEX", slot_key("fuzzy", i, (*text.shingles)[i]), "1000", as_text(text.digest.bytes)});
  }
  EXPECT_EQ(check(text)->created, 1'700'000'000U);
  EXPECT_EQ(check(engine::near_duplicate(text, 24, random_))->probability(), 0.75F);
  // The record has no field S, so a delete must name the slots.
  ASSERT_TRUE(apply(remove(text)));
  EXPECT_THAT(stored_keys(), IsEmpty());
}

TEST_F(RedisStoreTest, ADeleteByDigestLeavesNoOrphanedSlots) {
  const Fingerprint text = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text)));
  ASSERT_THAT(stored_keys(), SizeIs(33));
  ASSERT_TRUE(apply(remove({text.digest, std::nullopt})));
  EXPECT_THAT(stored_keys(), IsEmpty());
  EXPECT_EQ(count(), 0);
  ASSERT_TRUE(apply(remove(text)));
  EXPECT_EQ(count(), 0) << "an absent hash does not count";
}

TEST_F(RedisStoreTest, ADeleteKeepsTheSlotsOfOthers) {
  const Fingerprint first = engine::random_fingerprint(random_);
  const Fingerprint second = engine::near_duplicate(first, 20, random_);
  ASSERT_TRUE(apply(add(first)));
  ASSERT_TRUE(apply(add(second)));  // it takes over 20 slots of the first one
  ASSERT_TRUE(apply(remove(first)));
  EXPECT_THAT(stored_keys(), SizeIs(33));
  EXPECT_EQ(check({engine::random_digest(random_), second.shingles})->digest, second.digest);
}

TEST_F(RedisStoreTest, NewShinglesOfADigestReplaceTheOldOnes) {
  const Fingerprint text = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text)));
  const Fingerprint near = engine::near_duplicate(text, 10, random_);
  ASSERT_TRUE(apply(add(near)));
  ASSERT_TRUE(apply(add({text.digest, engine::random_shingles(random_)})));
  ASSERT_TRUE(apply(remove({text.digest, std::nullopt})));
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    const std::uint64_t shingle = (*text.shingles)[slot];
    EXPECT_EQ(redis_.ask({"EXISTS", slot_key("fuzzy", slot, shingle)}).integer,
              shingle == (*near.shingles)[slot] ? 1 : 0);
  }
}

TEST_F(RedisStoreTest, ARepeatedUpdateCountsOnce) {
  const Fingerprint text = engine::random_fingerprint(random_);
  Update update = add(text, 5);
  update.name.fill(0xab);
  ASSERT_TRUE(apply(update));
  ASSERT_TRUE(apply(update));
  open();  // as another daemon, or the same one after a restart
  ASSERT_TRUE(apply(update));
  EXPECT_THAT(flags_of(check(text)), ElementsAre(FlagValue{1, 5}));
  EXPECT_EQ(count(), 1);
  update.name.fill(0xcd);
  ASSERT_TRUE(apply(update));
  EXPECT_THAT(flags_of(check(text)), ElementsAre(FlagValue{1, 10}));
}

TEST_F(RedisStoreTest, MarkersExpireSoonAfterTheReply) {
  Update update = add(engine::random_fingerprint(random_));
  update.name.fill(0xab);
  ASSERT_TRUE(apply(update));
  ASSERT_TRUE(apply(add(engine::random_fingerprint(random_))));
  std::vector<std::int64_t> left;
  for (const std::string& key : redis_.keys()) {
    if (key.starts_with("fuzzy_done_abab")) left.push_back(ttl(key));
  }
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_LE(left[0], 60);
  EXPECT_GT(left[0], 0);
}

TEST_F(RedisStoreTest, AHitProlongsTheLifeOfARecord) {
  options_.expire = std::chrono::seconds(1000);
  open();
  const Fingerprint text = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text)));
  const auto slot = [&](std::size_t i) { return slot_key("fuzzy", i, (*text.shingles)[i]); };
  const Fingerprint other = engine::random_fingerprint(random_);
  redis_.ask({"EXPIRE", record_key("fuzzy", text.digest), "100"});
  for (std::size_t i = 0; i < kShingleCount; ++i) redis_.ask({"EXPIRE", slot(i), "100"});
  redis_.ask({"DEL", slot(3)});
  redis_.ask({"SETEX", slot(4), "50", as_text(other.digest.bytes)});
  Shingles with_lost = *text.shingles;  // as after an import of rspamd's files
  with_lost[5] = 12'345;
  redis_.ask({"HSET", record_key("fuzzy", text.digest), "S", slots_text(with_lost)});
  ASSERT_TRUE(check(text));
  ASSERT_TRUE(testing::eventually([&] { return store_->counters().refreshed == 1; }));
  EXPECT_GT(ttl(record_key("fuzzy", text.digest)), 900);
  EXPECT_GT(ttl(slot(0)), 900) << "its own slot";
  EXPECT_GT(ttl(slot(3)), 900) << "a free slot is claimed again";
  EXPECT_EQ(redis_.ask({"GET", slot(3)}).text, as_text(text.digest.bytes));
  EXPECT_EQ(redis_.ask({"EXISTS", slot_key("fuzzy", 5, 12'345)}).integer, 0)
      << "no question has the number that replaces a lost shingle";
  EXPECT_LE(ttl(slot(4)), 50) << "a slot of another record is not changed";
  EXPECT_EQ(redis_.ask({"GET", slot(4)}).text, as_text(other.digest.bytes));
}

TEST_F(RedisStoreTest, AReadOnlyStoreRefreshesNothing) {
  const Fingerprint text = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text)));
  options_.refresh_hits = false;
  open();
  redis_.ask({"EXPIRE", record_key("fuzzy", text.digest), "100"});
  ASSERT_TRUE(check(text));
  open();  // so everything that waited has been sent
  EXPECT_LE(ttl(record_key("fuzzy", text.digest)), 100);
}

TEST_F(RedisStoreTest, WithoutExpiryRecordsStay) {
  options_.expire = std::chrono::seconds(0);
  open();
  const Fingerprint text = engine::random_fingerprint(random_);
  redis_.ask({"HSET", record_key("fuzzy", text.digest), "F", "1", "V", "1"});
  redis_.ask({"EXPIRE", record_key("fuzzy", text.digest), "100"});
  ASSERT_TRUE(apply(add(text)));
  EXPECT_EQ(ttl(record_key("fuzzy", text.digest)), -1);
  EXPECT_EQ(ttl(slot_key("fuzzy", 0, (*text.shingles)[0])), -1);
}

TEST_F(RedisStoreTest, CountsAsRspamdDoes) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(apply(add(engine::random_fingerprint(random_))));
  EXPECT_TRUE(testing::eventually([&] { return store_->size() == 3; }));
  redis_.ask({"SET", "fuzzy_count", "-5"});  // others also count deletes of absent hashes
  open();
  EXPECT_TRUE(testing::eventually([&] { return store_->counters().connected; }));
  EXPECT_EQ(store_->size(), 0U);
}

TEST_F(RedisStoreTest, RefusesUpdatesThatTheDatabaseCannotAccept) {
  const Fingerprint text = engine::random_fingerprint(random_);
  redis_.ask({"SET", record_key("fuzzy", text.digest), "not a hash"});
  const Status outcome = apply(add(text));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kCorrupt);
  EXPECT_FALSE(check(text));
  EXPECT_TRUE(apply(add(engine::random_fingerprint(random_)))) << "the others are served";
  EXPECT_EQ(store_->counters().refused, 1U);
}

}  // namespace
}  // namespace shingled::storage::redis
