// Covers storage/redis/hashes/redis_writer.cpp.
// What happens to updates while Redis is away.
#include <gmock/gmock.h>

#include <fstream>

#include "config/metrics/metric_report.h"
#include "tests/storage/redis/hashes/redis_fixture.h"
#include "tests/support/fake_store.h"

namespace shingled::storage::redis {
namespace {

using ::testing::ElementsAre;
using testing::eventually;

class RedisJournalTest : public RedisStoreTest {
 protected:
  void SetUp() override {
    options_.journal = folder_.file("journal");
    RedisStoreTest::SetUp();
  }
  void TearDown() override { store_.reset(); }  // before its folder is removed
  [[nodiscard]] bool delivered() const {
    return eventually([&] { return store_->counters().waiting == 0; });
  }
  shingled::testing::TemporaryDirectory folder_;
};

TEST_F(RedisJournalTest, KeepsUpdatesInOrderUntilRedisIsBack) {
  const Fingerprint text = engine::random_fingerprint(random_);
  const Fingerprint other = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(other, 3)));
  redis_.kill9();
  EXPECT_TRUE(apply(add(text, 5)));
  EXPECT_TRUE(apply(remove(text)));
  EXPECT_TRUE(apply(add(text, 2)));
  EXPECT_TRUE(apply(remove(other)));
  EXPECT_EQ(store_->counters().waiting, 4U);
  EXPECT_EQ(store_->counters().journaled, 4U);
  EXPECT_FALSE(check(text)) << "updates in the journal are not visible yet";
  MetricReport away;
  store_->report(away);
  EXPECT_EQ(away.total("shingled_redis_connected"), 0);
  EXPECT_EQ(away.total("shingled_redis_waiting"), 4);
  EXPECT_GE(away.total("shingled_redis_misses_away"), 1);
  ASSERT_TRUE(redis_.start());
  ASSERT_TRUE(delivered());
  EXPECT_TRUE(eventually([&] { return check(text).has_value(); }));
  EXPECT_THAT(flags_of(check(text)), ElementsAre(FlagValue{1, 2}));
  EXPECT_FALSE(check(other));
}

TEST_F(RedisJournalTest, SurvivesARestartOfTheDaemon) {
  const Fingerprint text = engine::random_fingerprint(random_);
  redis_.kill9();
  EXPECT_TRUE(apply(add(text, 5)));
  open();
  EXPECT_TRUE(eventually([&] { return store_->counters().waiting == 1; }));
  ASSERT_TRUE(redis_.start());
  ASSERT_TRUE(delivered());
  EXPECT_TRUE(eventually([&] { return check(text).has_value(); }));
  EXPECT_THAT(flags_of(check(text)), ElementsAre(FlagValue{1, 5}));
}

TEST_F(RedisJournalTest, ADeliveredUpdateThatIsStillInTheJournalCountsOnce) {
  // The journal is opened again with its old content, as after a crash between the reply of the
  // server and the commit of the journal.
  const Fingerprint text = engine::random_fingerprint(random_);
  redis_.kill9();
  EXPECT_TRUE(apply(add(text, 5)));
  store_.reset();
  const std::string saved = folder_.file("saved");
  for (const char* ending : {"", "-wal"}) {
    if (std::filesystem::exists(options_.journal + ending)) {
      std::filesystem::copy_file(options_.journal + ending, saved + ending);
    }
  }
  ASSERT_TRUE(redis_.start());
  open();
  ASSERT_TRUE(eventually([&] { return check(text).has_value(); }));
  ASSERT_TRUE(delivered());
  options_.journal = saved;
  open();
  ASSERT_TRUE(delivered());
  ASSERT_TRUE(apply(add(engine::random_fingerprint(random_)))) << "behind the journal";
  EXPECT_THAT(flags_of(check(text)), ElementsAre(FlagValue{1, 5}));
}

TEST_F(RedisJournalTest, AnUpdateWhoseReplyWasLostCountsOnce) {
  options_.redis.timeout = std::chrono::milliseconds(100);
  open();
  const Fingerprint text = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text, 1)));
  redis_.freeze();  // it receives commands and executes them when it wakes up
  EXPECT_TRUE(apply(add(text, 5)));
  EXPECT_EQ(store_->counters().waiting, 1U);
  redis_.thaw();
  ASSERT_TRUE(delivered());
  EXPECT_TRUE(eventually([&] { return check(text).has_value(); }));
  EXPECT_THAT(flags_of(check(text)), ElementsAre(FlagValue{1, 6}));
  EXPECT_EQ(count(), 1);
}

TEST_F(RedisJournalTest, AFullJournalRefuses) {
  options_.redis.journal_max = 3;
  open();
  redis_.kill9();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(apply(add(engine::random_fingerprint(random_))));
  const Status outcome = apply(add(engine::random_fingerprint(random_)));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kLimit);
  EXPECT_EQ(store_->counters().waiting, 3U);
  ASSERT_TRUE(redis_.start());
  EXPECT_TRUE(delivered());
  EXPECT_TRUE(apply(add(engine::random_fingerprint(random_))));
}

TEST_F(RedisJournalTest, AnUpdateThatRedisRefusesDoesNotStopTheOthers) {
  const Fingerprint bad = engine::random_fingerprint(random_);
  const Fingerprint good = engine::random_fingerprint(random_);
  redis_.ask({"SET", record_key("fuzzy", bad.digest), "not a hash"});
  redis_.kill9();
  EXPECT_TRUE(apply(add(bad)));
  EXPECT_TRUE(apply(add(good)));
  ASSERT_TRUE(redis_.start());
  ASSERT_TRUE(delivered());
  EXPECT_EQ(store_->counters().dropped, 1U);
  EXPECT_TRUE(eventually([&] { return check(good).has_value(); }));
}

TEST_F(RedisJournalTest, WithoutAPlaceForTheJournalTheStoreDoesNotOpen) {
  options_.journal = folder_.file("none") + "/journal";
  const auto opened = RedisStore::open(options_, clock_, random_source_, logger_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace shingled::storage::redis
