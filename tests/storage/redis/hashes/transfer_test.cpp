// Covers storage/redis/route/open_route.cpp, storage/redis/hashes/redis_import.cpp,
// storage/redis/hashes/transfer.cpp.
#include <gmock/gmock.h>

#include <thread>

#include "storage/redis/hashes/redis_import.h"
#include "storage/sqlite/base/shingle_set.h"
#include "tests/storage/redis/hashes/redis_fixture.h"

namespace shingled::storage::redis {
namespace {

using ::testing::SizeIs;

class TransferTest : public RedisStoreTest {
 protected:
  [[nodiscard]] TransferOptions transfer() const { return {options_.redis, options_.expire}; }
  std::map<Digest, sqlite::FuzzyRow> dump() {
    std::map<Digest, sqlite::FuzzyRow> rows;
    const auto take = [&](const sqlite::FuzzyRow& row) -> Status {
      EXPECT_TRUE(rows.emplace(row.digest, row).second) << "once each";
      return {};
    };
    const auto report = dump_redis(
        transfer(), take, [](const WorkDone&) { return true; }, clock_, logger_);
    EXPECT_TRUE(report) << report.error().message;
    if (report) report_ = *report;
    return rows;
  }
  void import(const std::vector<sqlite::FuzzyRow>& rows,
              formats::MergeRule rule = formats::MergeRule::kSum) {
    auto opened = RedisImport::open(transfer(), rule, clock_, random_source_, logger_);
    ASSERT_TRUE(opened) << opened.error().message;
    for (const sqlite::FuzzyRow& row : rows) ASSERT_TRUE((*opened)->take(row));
    ASSERT_TRUE((*opened)->finish());
    counts_ = (*opened)->counts();
  }
  sqlite::FuzzyRow a_row() {
    sqlite::FuzzyRow row;
    row.digest = engine::random_digest(random_);
    row.flags.add({static_cast<std::uint32_t>(random_() % 50), 7});
    if (random_() % 2 == 0) row.flags.add({60, -3});
    const auto now = unix_seconds(clock_.wall());
    row.updated = now - 1000;
    row.created = now - 5000;
    if (random_() % 3 != 0) row.shingles = engine::random_shingles(random_);
    return row;
  }

  DumpReport report_;
  formats::Import::Counts counts_;
};

TEST_F(TransferTest, ADumpReturnsTheImportedHashes) {
  std::vector<sqlite::FuzzyRow> rows;
  for (int i = 0; i < 700; ++i) rows.push_back(a_row());
  import(rows);
  EXPECT_EQ(counts_.added, 700U);
  const auto out = dump();
  ASSERT_THAT(out, SizeIs(700));
  for (const sqlite::FuzzyRow& row : rows) {
    sqlite::FuzzyRow is = out.at(row.digest);
    EXPECT_NEAR(is.updated, row.updated, 60) << "computed from its time to live";
    is.updated = row.updated;
    is.id = row.id;
    EXPECT_EQ(is, row);
  }
  EXPECT_EQ(count(), 700);
  import(rows, formats::MergeRule::kLarger);
  EXPECT_EQ(count(), 700) << "nothing new";
}

TEST_F(TransferTest, TheStoreFindsImportedHashes) {
  sqlite::FuzzyRow row = a_row();
  row.shingles = engine::random_shingles(random_);
  (*row.shingles)[0] = 0xffff'ffff'ffff'fff0;  // a negative number in rspamd's SQLite file
  import({row});
  const auto match = check({row.digest, std::nullopt});
  ASSERT_TRUE(match);
  EXPECT_EQ(match->created, row.created);
  EXPECT_EQ(redis_.ask({"GET", "fuzzy_0_18446744073709551600"}).text, as_text(row.digest.bytes));
  EXPECT_TRUE(check({engine::random_digest(random_), row.shingles}));
  ASSERT_TRUE(apply(remove({row.digest, std::nullopt})));
  EXPECT_THAT(stored_keys(), SizeIs(0)) << "S names the slots";
}

TEST_F(TransferTest, MergesWithExistingHashes) {
  sqlite::FuzzyRow row = a_row();
  row.flags = {};
  row.flags.add({1, 5});
  import({row});
  sqlite::FuzzyRow coming = row;
  coming.flags.add({2, 9});
  import({coming});
  EXPECT_EQ(counts_.merged, 1U);
  EXPECT_EQ(flags_of(check({row.digest, std::nullopt})), (std::vector<FlagValue>{{1, 10}, {2, 9}}));
  import({row}, formats::MergeRule::kReplace);
  EXPECT_EQ(flags_of(check({row.digest, std::nullopt})), (std::vector<FlagValue>{{1, 5}}));
  import({coming}, formats::MergeRule::kSkip);
  EXPECT_EQ(flags_of(check({row.digest, std::nullopt})), (std::vector<FlagValue>{{1, 5}}));
  import({row, row});
  EXPECT_EQ(flags_of(check({row.digest, std::nullopt})), (std::vector<FlagValue>{{1, 15}}))
      << "twice in one file";
}

// Another client adds to a hash all the time while it is merged: all adds and all imports count.
TEST_F(TransferTest, LosesNoUpdateOfOthers) {
  constexpr int kAdds = 400;
  sqlite::FuzzyRow row = a_row();
  row.flags = {};
  row.flags.add({1, 1});
  import({row});
  const std::string key = record_key(options_.redis.prefix, row.digest);
  std::jthread other([&] {
    for (int i = 0; i < kAdds; ++i) redis_.ask({"HINCRBY", key, "V", "1"});
  });
  for (int i = 0; i < kAdds; ++i) import({row});
  other.join();
  EXPECT_EQ(redis_.ask({"HGET", key, "V"}).text, std::to_string(1 + 2 * kAdds));
}

TEST_F(TransferTest, KeepsTheLongerLife) {
  sqlite::FuzzyRow row = a_row();
  const std::string key = record_key(options_.redis.prefix, row.digest);
  import({row});
  EXPECT_LT(ttl(key), options_.expire.count() - 900);
  sqlite::FuzzyRow later = row;
  later.updated += 500;
  import({later});
  EXPECT_GT(ttl(key), options_.expire.count() - 600) << "a later time prolongs the life";
  import({row});
  EXPECT_GT(ttl(key), options_.expire.count() - 600) << "an earlier time does not shorten the life";
}

// The cursor of a SCAN is not valid on another server.
TEST_F(TransferTest, FailsIfAnotherServerAnswers) {
  shingled::testing::RedisProcess second;
  ASSERT_TRUE(second.start());
  std::vector<sqlite::FuzzyRow> rows;
  for (int i = 0; i < 300; ++i) {  // with their slots, more keys than a SCAN looks at in one step
    rows.push_back(a_row());
    rows.back().shingles = engine::random_shingles(random_);
  }
  import(rows);
  TransferOptions options = transfer();
  options.redis.servers.push_back(second.address());
  std::size_t taken = 0;
  const auto take = [&](const sqlite::FuzzyRow&) -> Status {
    if (++taken == 1) redis_.kill9();
    return {};
  };
  const auto report = dump_redis(
      options, take, [](const WorkDone&) { return true; }, clock_, logger_);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kUnavailable);
}

TEST_F(TransferTest, LeavesOutExpiredHashes) {
  sqlite::FuzzyRow row = a_row();
  row.updated = row.created = 1'000'000;
  import({row});
  EXPECT_EQ(counts_.unchanged, 1U);
  EXPECT_THAT(dump(), SizeIs(0));
}

struct Rspamd3 {
  const char* why;
  std::size_t slots;  ///< those that the record still owns
  bool has_shingles;
};

TEST_F(TransferTest, FindsTheSlotsOfRspamd3) {
  const Rspamd3 cases[] = {
      {"all", 32, true}, {"some lost", 17, true}, {"too many lost", 16, false}};
  for (const Rspamd3& c : cases) {
    redis_.ask({"FLUSHALL"});
    const Fingerprint text = engine::random_fingerprint(random_);
    redis_.ask({"HSET", record_key("fuzzy", text.digest), "F", "11", "V", "7", "C", "1700000000"});
    for (std::size_t i = 0; i < c.slots; ++i) {
      redis_.ask({"SET", slot_key("fuzzy", i, (*text.shingles)[i]), as_text(text.digest.bytes)});
    }
    const auto rows = dump();
    ASSERT_THAT(rows, SizeIs(1)) << c.why;
    const sqlite::FuzzyRow& row = rows.begin()->second;
    ASSERT_EQ(row.shingles.has_value(), c.has_shingles) << c.why;
    EXPECT_EQ(report_.lost_slots, c.slots < 32 ? 1U : 0U) << c.why;
    EXPECT_EQ(report_.lost_hashes, c.has_shingles ? 0U : 1U) << c.why;
    if (!row.shingles) continue;
    for (std::size_t i = 0; i < kShingleCount; ++i) {
      EXPECT_EQ((*row.shingles)[i],
                i < c.slots ? (*text.shingles)[i] : sqlite::lost_slot(text.digest, i))
          << c.why;
    }
  }
}

TEST_F(TransferTest, ASlotThatWasLostStaysLost) {
  sqlite::FuzzyRow row = a_row();
  row.shingles = engine::random_shingles(random_);
  (*row.shingles)[5] = sqlite::lost_slot(row.digest, 5);
  import({row});
  EXPECT_THAT(stored_keys(), SizeIs(1 + kShingleCount - 1));
  EXPECT_EQ(dump().begin()->second.shingles, row.shingles);
}

TEST_F(TransferTest, SkipsKeysThatAreNotHashes) {
  redis_.ask({"SET", record_key("fuzzy", engine::random_digest(random_)), "text"});
  redis_.ask({"SET", "fuzzy_count", "5"});
  redis_.ask({"HSET", record_key("other", engine::random_digest(random_)), "F", "1", "V", "1"});
  EXPECT_THAT(dump(), SizeIs(0));
  EXPECT_EQ(report_.broken, 1U);
}

TEST_F(TransferTest, APrefixIsNotReadAsAGlob) {
  options_.redis.prefix = "f*[z]?";
  open();
  const Fingerprint text = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text)));
  EXPECT_THAT(dump(), SizeIs(1));
}

TEST_F(TransferTest, ReportsThatNoServerIsThere) {
  redis_.kill9();
  const auto report = dump_redis(
      transfer(), [](const sqlite::FuzzyRow&) { return Status(); },
      [](const WorkDone&) { return true; }, clock_, logger_);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(
      RedisImport::open(transfer(), formats::MergeRule::kSum, clock_, random_source_, logger_));
}

}  // namespace
}  // namespace shingled::storage::redis
