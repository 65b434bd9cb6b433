// Covers storage/engine/loader.cpp, storage/engine/update_group.cpp, storage/engine/writer.cpp.
#include "storage/engine/engine.h"

#include <gmock/gmock.h>

#include <limits>
#include <thread>

#include "storage/engine/number_map.h"
#include "tests/storage/engine/engine_fixture.h"

namespace shingled::storage::engine {
namespace {

using ::testing::ElementsAre;

TEST_F(EngineTest, FindsByDigestWhatItWasTaught) {
  open();
  const Fingerprint known = random_fingerprint(random_);
  ASSERT_TRUE(apply(add(known, 7, 3)));
  const auto match = check({known.digest, std::nullopt});
  ASSERT_TRUE(match);
  EXPECT_TRUE(match->exact);
  EXPECT_EQ(match->probability(), 1.0F);
  EXPECT_EQ(match->digest, known.digest);
  EXPECT_THAT(flags_of(*match), ElementsAre(FlagValue{3, 7}));
  EXPECT_EQ(match->created, clock_.unix_seconds());
  EXPECT_FALSE(check(random_fingerprint(random_)));
  EXPECT_EQ(engine_->size(), 1U);
}

TEST_F(EngineTest, FindsANearDuplicateWithAtLeastSeventeenEqualSlots) {
  open();
  const Fingerprint known = random_fingerprint(random_);
  ASSERT_TRUE(apply(add(known)));
  for (std::uint32_t slots = 0; slots <= kShingleCount; ++slots) {
    const auto match = check(near_duplicate(known, slots, random_));
    ASSERT_EQ(match.has_value(), slots >= kMatchSlotsMin) << slots;
    if (!match) continue;
    EXPECT_EQ(match->digest, known.digest);
    EXPECT_EQ(match->slots, slots);
    EXPECT_FALSE(match->exact);
  }
}

TEST_F(EngineTest, TheBestMatchHasTheMostSlotsThenIsTheNewest) {
  open();
  const Fingerprint asked = random_fingerprint(random_);
  const Fingerprint twenty = near_duplicate(asked, 20, random_);
  const Fingerprint older = near_duplicate(asked, 25, random_);
  const Fingerprint newer = near_duplicate(asked, 25, random_);
  ASSERT_TRUE(apply(add(older)));
  clock_.advance(std::chrono::seconds(10));
  ASSERT_TRUE(apply(add(newer)));
  clock_.advance(std::chrono::seconds(10));
  ASSERT_TRUE(apply(add(twenty)));
  EXPECT_EQ(check(asked)->digest, newer.digest);
  const auto all = engine_->check_all(asked, clock_.unix_seconds(), 10);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].digest, newer.digest);
  EXPECT_EQ(all[1].digest, older.digest);
  EXPECT_EQ(all[2].digest, twenty.digest);
  EXPECT_EQ(engine_->check_all(asked, clock_.unix_seconds(), 2).size(), 2U);
}

TEST_F(EngineTest, ValuesAddUpAndSaturate) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  open();
  const Fingerprint known = random_fingerprint(random_);
  const std::vector<Update> updates = {add(known, 5), add(known, -2), add(known, kMost),
                                       add(known, 1, 2)};
  ASSERT_TRUE(engine_->apply(updates));
  EXPECT_THAT(flags_of(*check(known)), ElementsAre(FlagValue{1, kMost}, FlagValue{2, 1}));
  open();
  EXPECT_THAT(flags_of(*check(known)), ElementsAre(FlagValue{1, kMost}, FlagValue{2, 1}));
}

// A client that knows only rspamd's hashes deletes only those. Our own hash of the same text must
// be deleted with them.
TEST_F(EngineTest, ACompanionIsDeletedWithItsDigest) {
  const Fingerprint text = random_fingerprint(random_);
  const Fingerprint robust = random_fingerprint(random_);
  const Fingerprint other = random_fingerprint(random_);
  const auto tied = [](Update update, const Fingerprint& companion) {
    update.companion = companion.digest;
    return update;
  };
  struct Case {
    const char* why;
    std::vector<Update> taught;
    Update deleted;
    std::vector<FlagValue> left;  // of the robust hash
  };
  const Case cases[] = {
      {"from all lists", {tied(add(text, 5, 1), robust), add(robust, 5, 1)}, remove(text), {}},
      {"in either order", {add(robust, 5, 1), tied(add(text, 5, 1), robust)}, remove(text), {}},
      {"from one list",
       {tied(add(text, 5, 1), robust), add(robust, 5, 1), add(robust, 3, 2)},
       remove(text, 1),
       {{2, 3}}},
      {"not the other way round: deleting the companion keeps the digest",
       {tied(add(text, 5, 1), robust), add(robust, 5, 1), add(robust, 4, 2)},
       remove(robust, 2),
       {{1, 5}}},
      {"only the companion that was named last",
       {tied(add(text, 5, 1), robust), tied(add(text, 5, 1), other), add(robust, 5, 1)},
       remove(text),
       {{1, 5}}},
      {"an add that names none keeps it",
       {tied(add(text, 5, 1), robust), add(text, 5, 1), add(robust, 5, 1)},
       remove(text),
       {}},
      {"one step only",
       {tied(add(other, 5, 1), text), tied(add(text, 5, 1), robust), add(robust, 5, 1)},
       remove(other),
       {{1, 5}}},
      {"a digest that was never taught has no companion",
       {add(robust, 5, 1)},
       remove(text),
       {{1, 5}}},
      {"an add that only takes weight away",
       {tied(add(text, 5, 1), robust), add(robust, 5, 1)},
       add(text, -5, 1),
       {{1, 5}}},
  };
  for (const Case& c : cases) {
    for (const bool reopened : {false, true}) {
      SCOPED_TRACE(std::string(c.why) + (reopened ? ", after a restart" : ""));
      open();
      ASSERT_TRUE(engine_->apply(c.taught));
      if (reopened) open();
      ASSERT_TRUE(apply(c.deleted));
      const auto match = check({robust.digest, std::nullopt});
      EXPECT_EQ(match ? flags_of(*match) : std::vector<FlagValue>{}, c.left);
      ASSERT_TRUE(engine_->apply(std::vector{remove(text), remove(robust), remove(other)}));
    }
    open();
    std::vector<Update> at_once = c.taught;
    at_once.push_back(c.deleted);
    ASSERT_TRUE(engine_->apply(at_once));
    const auto match = check({robust.digest, std::nullopt});
    EXPECT_EQ(match ? flags_of(*match) : std::vector<FlagValue>{}, c.left)
        << c.why << ", one group";
    ASSERT_TRUE(engine_->apply(std::vector{remove(text), remove(robust), remove(other)}));
  }
}

TEST_F(EngineTest, DeletesOneFlagOrAll) {
  open();
  const Fingerprint known = random_fingerprint(random_);
  ASSERT_TRUE(engine_->apply(std::vector{add(known, 5, 1), add(known, 4, 2), add(known, 3, 3)}));
  ASSERT_TRUE(apply(remove(known, 1)));
  EXPECT_THAT(flags_of(*check(known)), ElementsAre(FlagValue{2, 4}, FlagValue{3, 3}));
  ASSERT_TRUE(apply(remove(known)));
  EXPECT_FALSE(check(known));
  EXPECT_FALSE(check(near_duplicate(known, 30, random_)));
  ASSERT_TRUE(apply(remove(known))) << "deleting an unknown hash is not an error";
  ASSERT_TRUE(apply(add(known)));
  ASSERT_TRUE(apply(remove(known, 1)));
  EXPECT_EQ(engine_->size(), 0U) << "the record is deleted with its last flag";
}

TEST_F(EngineTest, AWriteAfterADeleteInTheSameGroupIsKept) {
  open();
  const Fingerprint known = random_fingerprint(random_);
  ASSERT_TRUE(apply(add(known, 10)));
  ASSERT_TRUE(engine_->apply(std::vector{remove(known), add(known, 3, 2)}));
  EXPECT_THAT(flags_of(*check(known)), ElementsAre(FlagValue{2, 3}));
  EXPECT_TRUE(check(near_duplicate(known, 30, random_)));
  open();
  EXPECT_THAT(flags_of(*check(known)), ElementsAre(FlagValue{2, 3}));
  EXPECT_TRUE(check(near_duplicate(known, 30, random_)));
}

TEST_F(EngineTest, ALaterAddBringsTheShinglesThatWereMissing) {
  open();
  const Fingerprint full = random_fingerprint(random_);
  ASSERT_TRUE(apply(add({full.digest, std::nullopt}, 2)));
  EXPECT_FALSE(check(near_duplicate(full, 30, random_)));
  ASSERT_TRUE(apply(add(full, 3)));
  EXPECT_THAT(flags_of(*check(full)), ElementsAre(FlagValue{1, 5}));
  EXPECT_TRUE(check(near_duplicate(full, 30, random_)));
  EXPECT_EQ(engine_->size(), 1U);
  open();
  EXPECT_TRUE(check(near_duplicate(full, 30, random_)));
}

TEST_F(EngineTest, AnExpiredRecordDoesNotMatchAndIsDeletedInTheBackground) {
  options_.expire = std::chrono::seconds(100);
  open();
  const Fingerprint old = random_fingerprint(random_);
  const Fingerprint renewed = random_fingerprint(random_);
  ASSERT_TRUE(engine_->apply(std::vector{add(old), add(renewed)}));
  clock_.advance(std::chrono::seconds(60));
  ASSERT_TRUE(apply(add(renewed)));
  clock_.advance(std::chrono::seconds(60));
  EXPECT_FALSE(check(old));
  EXPECT_FALSE(check(near_duplicate(old, 30, random_)));
  EXPECT_TRUE(check(renewed));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (engine_->counters().expired == 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(engine_->size(), 1U);
  open();
  EXPECT_EQ(engine_->size(), 1U);
}

TEST_F(EngineTest, AnAddToAnExpiredRecordStartsAnew) {
  options_.expire = std::chrono::seconds(100);
  open();
  const Fingerprint known = random_fingerprint(random_);
  ASSERT_TRUE(apply(add(known, 50)));
  clock_.advance(std::chrono::seconds(200));
  ASSERT_TRUE(apply(add(known, 2)));
  const auto match = check(known);
  ASSERT_TRUE(match);
  EXPECT_THAT(flags_of(*match), ElementsAre(FlagValue{1, 2}));
  EXPECT_EQ(match->created, clock_.unix_seconds());
}

TEST_F(EngineTest, ACrowdedSlotKeepsItsNewestOwners) {
  options_.slot_owners_max = 4;
  open();
  const Fingerprint shared = random_fingerprint(random_);
  std::vector<Fingerprint> owners;
  for (int i = 0; i < 10; ++i) {
    owners.push_back(near_duplicate(shared, kShingleCount, random_));
    ASSERT_TRUE(apply(add(owners.back())));
    clock_.advance(std::chrono::seconds(1));
  }
  const auto all = engine_->check_all(shared, clock_.unix_seconds(), 100);
  ASSERT_EQ(all.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(all[i].digest, owners[9 - i].digest);
  EXPECT_EQ(engine_->counters().slot_overflows, 6U * kIndexedSlots);
}

TEST_F(EngineTest, AFullQueueRefusesWithLimit) {
  options_.update_queue_max = 0;
  open();
  const Status outcome = apply(add(random_fingerprint(random_)));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kLimit);
  EXPECT_EQ(engine_->counters().refused, 1U);
}

TEST_F(EngineTest, ASecondEngineOnTheSameFileIsRefused) {
  open();
  const auto second = Engine::open(options_, clock_, logger_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(second.error().message.find(options_.hashfile), std::string::npos);
}

TEST_F(EngineTest, KnowsTheNamesOfItsLastUpdatesAfterOpeningAgain) {
  open();
  EXPECT_TRUE(engine_->recent_updates().empty());
  const Fingerprint what = random_fingerprint(random_);
  std::vector<UpdateId> names;
  for (std::uint8_t i = 1; i <= 3; ++i) {
    Update update = add(what);
    update.name.fill(i);
    names.push_back(update.name);
    ASSERT_TRUE(apply(update));
  }
  ASSERT_TRUE(apply(add(what)));  // without a name
  open();
  EXPECT_EQ(engine_->recent_updates(), names);
  clock_.advance(std::chrono::seconds(kRepeatSeconds + 1));
  open();
  EXPECT_TRUE(engine_->recent_updates().empty()) << "no client repeats an update after this time";
}

TEST_F(EngineTest, KnowsTheSealsOfItsUpdatesForTheConfiguredTime) {
  open();
  Update update = add(random_fingerprint(random_));
  update.seal = 7;
  ASSERT_TRUE(apply(update));
  update.seal = 8;
  ASSERT_TRUE(apply(update));
  open();
  EXPECT_EQ(engine_->recent_seals(), (std::vector<std::uint64_t>{7, 8}));
  clock_.advance(options_.repeats.window);
  open();
  EXPECT_EQ(engine_->recent_seals().size(), 2U);
  clock_.advance(std::chrono::seconds(1));
  open();
  EXPECT_TRUE(engine_->recent_seals().empty());
}

}  // namespace
}  // namespace shingled::storage::engine
