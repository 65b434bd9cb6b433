// Rows are deleted from the file with a tool while the daemon has them in memory.
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "storage/formats/verify.h"
#include "storage/sqlite/base/database.h"
#include "tests/storage/engine/engine_fixture.h"

namespace shingled::storage::engine {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LostRow : public EngineTest {
 protected:
  void SetUp() override {
    open();
    for (std::size_t i = 0; i < 3; ++i) {
      texts_.push_back(random_fingerprint(random_));
      ASSERT_TRUE(engine_->apply(std::vector{add(texts_[i], 7, 1), add(texts_[i], 5, 2)}));
    }
  }
  /// Runs SQL as a person with sqlite3 would; `digests` has rows 1 to 3, on two lists each.
  void tool(const char* sql) {
    const auto database =
        sqlite::Database::open(options_.hashfile, sqlite::Database::Access::kReadWrite).value();
    database->set_busy_timeout(10'000);
    const Status done = database->execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
  /// A batch from a master about a digest.
  void hear(const Fingerprint& what) {
    PartRecord record{what.digest, {}};
    record.part.flags.add({3, 1});
    record.part.created = record.part.updated = clock_.unix_seconds();
    std::promise<Status> outcome;
    engine_->submit_batch({.master = StoreId{1}, .key = {}, .records = {record}, .position = {}},
                          [&](const Status& status) { outcome.set_value(status); });
    ASSERT_TRUE(outcome.get_future().get());
  }
  /// Checks the memory, the file, and an index that is loaded from the file.
  void expect_flags(const Fingerprint& what, const std::vector<FlagValue>& flags) {
    for (const bool opened_again : {false, true}) {
      if (opened_again) open();
      const auto match = check(what);
      ASSERT_TRUE(match) << opened_again;
      EXPECT_EQ(flags_of(*match), flags) << opened_again;
      EXPECT_TRUE(check(near_duplicate(what, 25, random_))) << opened_again;
    }
  }
  void expect_sound() {
    const auto report = formats::verify_file(options_.hashfile, {.now = clock_.unix_seconds()},
                                             [](const WorkDone&) { return true; });
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->problems, IsEmpty());
  }

  std::vector<Fingerprint> texts_;
};

TEST_F(LostRow, IsStoredAgainByTheNextAdd) {
  tool("DELETE FROM digests WHERE id = 2");
  ASSERT_TRUE(apply(add(texts_[1], 4, 9)));
  EXPECT_EQ(engine_->size(), 3U);
  expect_flags(texts_[1], {{9, 4}});
  expect_sound();
}

TEST_F(LostRow, IsDeletedWithoutAnErrorAndTheRestOfItsGroupIsCommitted) {
  tool("DELETE FROM digests WHERE id = 2");
  const Fingerprint other = random_fingerprint(random_);
  ASSERT_TRUE(engine_->apply(std::vector{remove(texts_[1]), add(other, 1, 1)}));
  ASSERT_TRUE(apply(remove(texts_[1])));
  EXPECT_FALSE(check(texts_[1]));
  EXPECT_FALSE(check(near_duplicate(texts_[1], 30, random_)));
  EXPECT_EQ(engine_->size(), 3U);
  expect_flags(other, {{1, 1}});
  expect_sound();
}

TEST_F(LostRow, MayBeOneOfMany) {
  tool("DELETE FROM digests");
  ASSERT_TRUE(engine_->apply(std::vector{remove(texts_[0]), add(texts_[1], 2), remove(texts_[2])}));
  EXPECT_EQ(engine_->size(), 1U);
  expect_flags(texts_[1], {{1, 2}});
  expect_sound();
}

TEST_F(LostRow, DoesNotChangeADigestThatGotItsId) {
  tool("DELETE FROM digests WHERE id = 3");
  const Fingerprint other = random_fingerprint(random_);
  ASSERT_TRUE(apply(add(other, 1, 1)));  // gets row 3
  ASSERT_TRUE(apply(add(texts_[2], 4, 9)));
  expect_flags(other, {{1, 1}});
  expect_flags(texts_[2], {{9, 4}});
  expect_sound();
}

TEST_F(LostRow, StartsAnewWhenAMasterTeachesItToo) {
  hear(texts_[1]);
  hear(texts_[2]);
  tool("DELETE FROM digests WHERE id > 1");
  hear(texts_[1]);
  ASSERT_TRUE(apply(add(texts_[2], 4, 9)));
  EXPECT_THAT(flags_of(*check(texts_[1])), ElementsAre(FlagValue{3, 1}));
  expect_flags(texts_[2], {{9, 4}});
  expect_sound();
}

// Damaged parts of other stores are alike: a part that cannot be read must not block updates for
// ever.
TEST_F(LostRow, ADamagedPartDoesNotStopUpdates) {
  struct Case {
    std::string sql;
    std::vector<FlagValue> left;  ///< of {1, 7}, {2, 5} and a master's {3, 1}, after add {9, 4}
  };
  const Case cases[] = {
      {"UPDATE parts SET flags = x'0102' WHERE store > 0 AND", {{1, 7}, {2, 5}, {9, 4}}},
      {"UPDATE parts SET shingle_set = x'01' WHERE store > 0 AND", {{1, 7}, {2, 5}, {9, 4}}},
      {"UPDATE parts SET flags = x'0102' WHERE store = 0 AND", {{9, 4}, {3, 1}}},
      {"UPDATE parts SET flags = x'0102' WHERE", {{9, 4}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.sql);
    const Fingerprint text = random_fingerprint(random_);
    ASSERT_TRUE(engine_->apply(std::vector{add(text, 7, 1), add(text, 5, 2)}));
    hear(text);
    tool((c.sql + " digest_id = (SELECT max(id) FROM digests)").c_str());
    ASSERT_TRUE(engine_->apply(std::vector{add(text, 4, 9), add(texts_[0], 1, 1)}));
    const auto match = check(text);
    ASSERT_TRUE(match);
    EXPECT_EQ(flags_of(*match), c.left);
    expect_sound();
    hear(text);
    EXPECT_THAT(flags_of(*check(text)), Contains(FlagValue{3, 1})) << "the master sent it again";
  }
}

TEST_F(LostRow, ExpiresInTheBackground) {
  options_.expire = std::chrono::seconds(100);
  open();
  tool("DELETE FROM digests WHERE id = 2");
  clock_.advance(std::chrono::seconds(200));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (engine_->size() != 0 && std::chrono::steady_clock::now() < deadline) {
    clock_.advance(std::chrono::seconds(2));
    std::this_thread::yield();
  }
  EXPECT_EQ(engine_->size(), 0U);
}

// Owner entries that are left in its slots must not count for the digest when it is taught again.
TEST_F(LostRow, LeavesNoOwnersThatCountTwice) {
  tool("DELETE FROM digests WHERE id = 2");
  ASSERT_TRUE(apply(remove(texts_[1])));
  ASSERT_TRUE(apply(add(texts_[1])));
  EXPECT_FALSE(check(near_duplicate(texts_[1], kMatchSlotsMin - 1, random_)));
  const auto match = check(near_duplicate(texts_[1], kMatchSlotsMin, random_));
  ASSERT_TRUE(match);
  EXPECT_EQ(match->slots, kMatchSlotsMin);
}

}  // namespace
}  // namespace shingled::storage::engine
