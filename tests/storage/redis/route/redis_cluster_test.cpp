// Covers storage/redis/hashes/cluster_sender.cpp.
// A Redis cluster of three masters and three replicas, started by the test.
#include "storage/redis/route/redis_cluster.h"

#include <gmock/gmock.h>

#include <atomic>

#include "storage/redis/hashes/layout.h"
#include "storage/redis/hashes/redis_store.h"
#include "tests/storage/engine/random_fingerprint.h"
#include "tests/storage/redis/route/cluster_process.h"
#include "tests/storage/store_calls.h"
#include "tests/support/fake_store.h"

namespace shingled::storage::redis {
namespace {

using testing::eventually;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RedisClusterTest : public ::testing::Test, protected StoreCalls {
 protected:
  void SetUp() override {
    if (!testing::ClusterProcess::installed()) {
      GTEST_SKIP() << "redis-server and redis-tools are not installed";
    }
    ASSERT_TRUE(cluster_.start());
    options_.redis.cluster = true;
    options_.redis.servers = cluster_.seeds();
    options_.redis.timeout = std::chrono::seconds(2);
    options_.redis.wait_replicas = 1;
    options_.journal = folder_.file("journal");
    options_.expire = std::chrono::hours(24);
    auto opened = RedisStore::open(options_, clock_, random_source_, logger_);
    ASSERT_TRUE(opened);
    store_ = *std::move(opened);
  }
  void TearDown() override { store_.reset(); }

  [[nodiscard]] std::optional<Match> check(const Fingerprint& what) const {
    return check_in(*store_, what, 0);
  }
  Status apply(const Update& update) { return apply_to(*store_, update); }
  [[nodiscard]] std::vector<std::string> stored_keys() const {
    auto keys = cluster_.keys();
    std::erase_if(keys, [](const std::string& key) {
      return key.starts_with("fuzzy_done_") || key == "fuzzy_count" || key == "fuzzylocal";
    });
    return keys;
  }
  [[nodiscard]] bool delivered() const {
    const auto deadline = clock_.now() + std::chrono::seconds(120);
    while (store_->counters().waiting > 0) {
      if (clock_.now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  testing::ClusterProcess cluster_;
  shingled::testing::TemporaryDirectory folder_;
  SharedStoreOptions options_;
  SystemClock clock_;
  SystemRandom random_source_;
  NullLogger logger_;
  engine::Seeded random_{20'261'122};
  std::unique_ptr<RedisStore> store_;
};

TEST_F(RedisClusterTest, StoresFindsAndDeletes) {
  const Fingerprint text = engine::random_fingerprint(random_);
  EXPECT_FALSE(check(text));
  ASSERT_TRUE(apply(add(text, 10, 50)));
  ASSERT_TRUE(apply(add(text, 4, 51)));
  const auto match = check(text);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->flag_count, 2);
  EXPECT_EQ(match->flags[0], (FlagValue{50, 10}));
  EXPECT_EQ(check(engine::near_duplicate(text, 20, random_))->probability(), 0.625F);
  EXPECT_FALSE(check(engine::near_duplicate(text, 16, random_)));
  EXPECT_THAT(stored_keys(), SizeIs(33));
  EXPECT_TRUE(eventually([&] { return store_->size() == 1; }));

  ASSERT_TRUE(apply(remove(text, 50)));
  EXPECT_EQ(check(text)->flags[0], (FlagValue{51, 4}));
  ASSERT_TRUE(apply(remove({text.digest, std::nullopt}, 51)));
  EXPECT_FALSE(check(text));
  EXPECT_THAT(stored_keys(), IsEmpty()) << "no slot is left behind";
  EXPECT_TRUE(eventually([&] { return store_->size() == 0; }));
}

TEST_F(RedisClusterTest, AnswersABatchThatIsSpreadOverAllServers) {
  std::vector<Fingerprint> texts;
  std::vector<Question> questions;
  for (int i = 0; i < 64; ++i) texts.push_back(engine::random_fingerprint(random_));
  // Some keys contain bytes that look like hash tags, because rspamd's keys are raw bytes.
  texts[0].digest.bytes[3] = '{';
  texts[0].digest.bytes[9] = '}';
  texts[1].digest.bytes[3] = '{';
  texts[2].digest.bytes[3] = '}';
  for (const Fingerprint& text : texts) {
    ASSERT_TRUE(apply(add(text)));
    questions.push_back({&text.digest, &*text.shingles});
  }
  std::vector<std::optional<Match>> answers(questions.size());
  ASSERT_TRUE(store_->check_batch(questions, 0, answers));
  for (std::size_t i = 0; i < answers.size(); ++i)
    EXPECT_TRUE(answers[i] && answers[i]->exact) << i;
}

TEST_F(RedisClusterTest, FollowsSlotsThatMove) {
  Fingerprint text = engine::random_fingerprint(random_);
  constexpr std::uint16_t kMoved = 300;  // the first slots of the first node go to the second
  while (key_slot(record_key("fuzzy", text.digest)) >= kMoved)
    text = engine::random_fingerprint(random_);
  ASSERT_TRUE(apply(add(text, 1)));
  const auto id = [&](std::size_t node) {
    return cluster_.ask(cluster_.port(node), {"CLUSTER", "MYID"}).text;
  };
  const std::string command =
      "redis-cli --cluster reshard 127.0.0.1:" + std::to_string(cluster_.port(0)) +
      " --cluster-from " + id(0) + " --cluster-to " + id(1) +
      " --cluster-slots 300 --cluster-yes >'" + folder_.file("reshard.log") + "' 2>&1";
  std::atomic<bool> done{false};
  std::jthread reshard([&] {
    EXPECT_EQ(std::system(command.c_str()), 0);
    done = true;
  });
  std::int32_t value = 1;
  while (!done) {
    ASSERT_TRUE(apply(add(text, 1)));
    ++value;
  }
  ASSERT_TRUE(delivered());
  EXPECT_TRUE(eventually([&] { return check(text).has_value(); }));
  EXPECT_EQ(check(text)->flags[0].value, value);
  EXPECT_TRUE(
      eventually([&] { return check(engine::near_duplicate(text, 32, random_)).has_value(); }));
}

TEST_F(RedisClusterTest, NoUpdateIsLostWhenAMasterDiesUnderLoad) {
  constexpr std::size_t kTexts = 60;
  constexpr std::size_t kInFlight = 64;
  std::vector<Fingerprint> texts;
  for (std::size_t i = 0; i < kTexts; ++i) texts.push_back(engine::random_fingerprint(random_));
  std::vector<std::int64_t> submitted(kTexts);
  std::atomic<std::size_t> in_flight{0};
  std::atomic<std::size_t> refused{0};
  const auto push = [&] {
    while (in_flight.load() >= kInFlight) std::this_thread::yield();
    const std::size_t which = random_() % kTexts;
    const auto value = static_cast<std::int32_t>(1 + random_() % 7);
    ++in_flight;
    submitted[which] += value;
    store_->submit(add(texts[which], value), [&](const Status& outcome) {
      if (!outcome) ++refused;
      --in_flight;
    });
  };
  for (int i = 0; i < 1000; ++i) push();
  const std::size_t victim = cluster_.a_master();
  cluster_.kill9(victim);
  for (int i = 0; i < 2000; ++i) push();
  while (in_flight.load() > 0) std::this_thread::yield();
  EXPECT_EQ(refused.load(), 0U);
  cluster_.run(victim);  // it comes back as a replica, which `wait_replicas` needs
  ASSERT_TRUE(cluster_.wait_until_whole());
  ASSERT_TRUE(delivered());
  for (std::size_t i = 0; i < kTexts; ++i) {
    EXPECT_TRUE(eventually([&] { return submitted[i] == 0 || check(texts[i]).has_value(); }));
    const auto match = check(texts[i]);
    EXPECT_EQ(match ? match->flags[0].value : 0, submitted[i]) << i;
    if (!match) continue;
    EXPECT_TRUE(check(engine::near_duplicate(texts[i], 32, random_))) << i;
  }
}

}  // namespace
}  // namespace shingled::storage::redis
