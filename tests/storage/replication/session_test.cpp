// Covers storage/replication/master_session.cpp, storage/replication/mirror_session.cpp.
#include "tests/storage/replication/replica_world.h"

namespace shingled::storage::replication {
namespace {

class SessionTest : public ::testing::Test {
 protected:
  Update add(const Fingerprint& text, std::int32_t value = 1, std::uint32_t flag = 1) {
    return {.flag = flag, .value = value, .fingerprint = text, .source = random_()};
  }
  static Update remove(const Fingerprint& text, std::uint32_t flag = 0) {
    return {.kind = Update::Kind::kDelete, .flag = flag, .fingerprint = text};
  }
  void connect_all() {
    for (MemoryLink* link : {&first_to_mirror_, &second_to_mirror_, &there_, &back_}) {
      if (!link->is_up()) link->connect();
    }
  }
  void settle() {
    for (int round = 0; round < 3; ++round) {
      for (MemoryLink* link : {&first_to_mirror_, &second_to_mirror_, &there_, &back_}) {
        link->run();
        EXPECT_EQ(link->failure(), "");
      }
    }
  }
  void expect_all_equal() {
    const Contents contents = first_.contents();
    EXPECT_EQ(second_.contents(), contents);
    EXPECT_EQ(mirror_.contents(), contents);
  }
  std::int32_t value_at(ReplicaStore& store, const Fingerprint& text) {
    const auto match = store.engine->check(text.digest, nullptr, clock_.unix_seconds());
    return match ? match->flags[0].value : 0;
  }

  static constexpr std::uint32_t kJournal = 1000;
  engine::Seeded random_{20'261'129};
  shingled::testing::SeededRandom bits_{20'261'129};
  shingled::testing::ManualClock clock_;
  ReplicaStore first_{clock_, bits_, kJournal};
  ReplicaStore second_{clock_, bits_, kJournal};
  ReplicaStore mirror_{clock_, bits_, 0};
  MemoryLink first_to_mirror_{first_, mirror_, bits_};
  MemoryLink second_to_mirror_{second_, mirror_, bits_};
  MemoryLink there_{first_, second_, bits_};
  MemoryLink back_{second_, first_, bits_};
  const Fingerprint text_ = engine::random_fingerprint(random_);
};

TEST_F(SessionTest, WeightsOfTwoMastersAddUpOnce) {
  connect_all();
  for (int round = 0; round < 20; ++round) {
    first_.apply(add(text_, 2));
    second_.apply(add(text_, 3));
    settle();
  }
  expect_all_equal();
  EXPECT_EQ(value_at(mirror_, text_), 100);
  EXPECT_EQ(value_at(first_, text_), 100);
  EXPECT_EQ(mirror_.engine->size(), 1U);
}

// Only the store that was taught the hashes knows that they belong together, so it deletes both.
TEST_F(SessionTest, ADeleteElsewhereDeletesTheCompanionToo) {
  connect_all();
  const Fingerprint robust = engine::random_fingerprint(random_);
  Update taught = add(text_, 2);
  taught.companion = robust.digest;
  first_.apply(taught);
  first_.apply(add(robust, 2));
  settle();
  EXPECT_EQ(value_at(mirror_, robust), 2);
  second_.apply(remove(text_));
  settle();
  expect_all_equal();
  EXPECT_EQ(value_at(mirror_, text_), 0);
  EXPECT_EQ(value_at(mirror_, robust), 0);
  EXPECT_EQ(first_.engine->size(), 0U);
}

TEST_F(SessionTest, ADeleteRemovesWhatOtherStoresTaught) {
  connect_all();
  first_.apply(add(text_, 2));
  second_.apply(add(text_, 3));
  settle();
  second_.apply(remove(text_));
  EXPECT_EQ(value_at(second_, text_), 0) << "at once in the store that got the request";
  settle();
  expect_all_equal();
  EXPECT_EQ(first_.engine->size(), 0U);
  EXPECT_EQ(mirror_.engine->size(), 0U);
  first_.apply(add(text_, 7));
  settle();
  expect_all_equal();
  EXPECT_EQ(value_at(mirror_, text_), 7) << "and starts again from zero";
}

TEST_F(SessionTest, ADeleteOfOneListKeepsTheOthers) {
  connect_all();
  first_.apply(add(text_, 2, 1));
  first_.apply(add(text_, 4, 2));
  second_.apply(add(text_, 3, 1));
  settle();
  second_.apply(remove(text_, 1));
  settle();
  expect_all_equal();
  EXPECT_EQ(value_at(mirror_, text_), 4);
}

TEST_F(SessionTest, ADeleteDuringAnInterruptionArrivesAfterIt) {
  connect_all();
  first_.apply(add(text_, 2));
  settle();
  there_.cut();
  back_.cut();
  second_.apply(remove(text_));
  // More changes than the journal holds: the ranges are compared, and the takebacks are sent again.
  for (std::uint32_t i = 0; i < kJournal + 10; ++i) {
    second_.engine->submit(add(engine::random_fingerprint(random_)), [](const Status&) {});
  }
  clock_.advance(std::chrono::seconds(5));
  connect_all();
  settle();
  expect_all_equal();
  EXPECT_EQ(value_at(first_, text_), 0);
  EXPECT_EQ(value_at(second_, text_), 0);
}

TEST_F(SessionTest, ATextAddedAfterTheDeleteStays) {
  connect_all();
  first_.apply(add(text_, 2));
  settle();
  there_.cut();
  back_.cut();
  second_.apply(remove(text_));
  first_.apply(remove(text_));
  clock_.advance(std::chrono::seconds(5));
  first_.apply(add(text_, 9));
  connect_all();
  settle();
  expect_all_equal();
  EXPECT_EQ(value_at(second_, text_), 9);
}

// All within one second, the resolution of the times.
TEST_F(SessionTest, ATextAddedInTheSecondOfTheDeleteStays) {
  for (const bool in_one_group : {true, false}) {
    SCOPED_TRACE(in_one_group);
    const Fingerprint text = engine::random_fingerprint(random_);
    connect_all();
    first_.apply(add(text, 2));
    settle();
    there_.cut();
    back_.cut();
    second_.apply(remove(text));
    if (in_one_group) {
      ASSERT_TRUE(first_.engine->apply(std::vector{remove(text), add(text, 5), remove(text)}));
    } else {
      first_.apply(remove(text));
    }
    first_.apply(add(text, 9));
    connect_all();
    settle();
    expect_all_equal();
    EXPECT_EQ(value_at(first_, text), 9);
    EXPECT_EQ(value_at(second_, text), 9);
    EXPECT_EQ(value_at(mirror_, text), 9);
    second_.apply(remove(text));
    settle();
    expect_all_equal();
    EXPECT_EQ(value_at(mirror_, text), 0) << "an old text does not come back either";
  }
}

TEST_F(SessionTest, OnlyWhatDiffersIsSentAgain) {
  connect_all();
  for (int i = 0; i < 300; ++i) first_.apply(add(engine::random_fingerprint(random_)));
  settle();
  there_.cut();
  // A start without a journal deletes the entries of before.
  first_.options.journal_max = 0;
  first_.open();
  first_.apply(add(text_, 5));
  first_.options.journal_max = kJournal;
  first_to_mirror_.cut();
  back_.cut();
  first_.open();
  connect_all();
  settle();
  expect_all_equal();
  EXPECT_EQ(there_.master_end().progress().comparisons, 1U);
  EXPECT_LT(there_.master_end().progress().records_sent, 10U);
}

TEST_F(SessionTest, MirrorsDeleteWhatTheirMasterLost) {
  connect_all();
  const std::string saved = first_.options.hashfile + ".saved";
  first_.apply(add(text_, 5));
  settle();
  first_to_mirror_.cut();
  there_.cut();
  back_.cut();
  first_.reader.reset();
  first_.engine.reset();  // the last one to close empties the WAL
  std::filesystem::copy_file(first_.options.hashfile, saved);
  first_.open();
  for (int i = 0; i < 50; ++i) first_.apply(add(engine::random_fingerprint(random_)));
  connect_all();
  settle();
  EXPECT_EQ(mirror_.engine->size(), 51U);
  // Restored from the copy, the master uses the same numbers again for other changes.
  for (MemoryLink* link : {&first_to_mirror_, &there_, &back_}) link->cut();
  first_.reader.reset();
  first_.engine.reset();  // the last one to close empties the WAL
  std::filesystem::copy_file(saved, first_.options.hashfile,
                             std::filesystem::copy_options::overwrite_existing);
  first_.open();
  for (int i = 0; i < 60; ++i) first_.apply(add(engine::random_fingerprint(random_)));
  connect_all();
  settle();
  expect_all_equal();
  EXPECT_EQ(mirror_.engine->size(), 61U);
}

TEST_F(SessionTest, AStoreDoesNotMirrorItself) {
  MemoryLink self(first_, first_, bits_);
  self.connect();
  self.run();
  EXPECT_FALSE(self.is_up());
  EXPECT_NE(self.failure().find("this store"), std::string::npos) << self.failure();
}

TEST_F(SessionTest, PartsExpireOneByOne) {
  const auto expire = std::chrono::hours(24);
  for (ReplicaStore* store : {&first_, &second_, &mirror_}) {
    store->options.expire = expire;
    store->open();
  }
  connect_all();
  first_.apply(add(text_, 2));
  settle();
  clock_.advance(expire / 2);
  second_.apply(add(text_, 3));
  settle();
  EXPECT_EQ(value_at(mirror_, text_), 5);
  clock_.advance(expire / 2 + std::chrono::seconds(2));
  for (ReplicaStore* store : {&first_, &second_, &mirror_}) store->expire();
  settle();
  expect_all_equal();
  EXPECT_EQ(value_at(mirror_, text_), 3) << "the part of the first master has expired";
  clock_.advance(expire);
  for (ReplicaStore* store : {&first_, &second_, &mirror_}) store->expire();
  settle();
  expect_all_equal();
  EXPECT_EQ(mirror_.engine->size(), 0U);
}

}  // namespace
}  // namespace shingled::storage::replication
