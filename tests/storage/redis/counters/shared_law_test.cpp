// Covers storage/redis/counters: the law of tests/storage/redis/counters/shared_walk.h with one
// Redis that is killed, frozen, cut off and forgets scripts.
#include "tests/storage/redis/counters/shared_walk.h"

namespace shingled::storage::redis {
namespace {

/// Loses nothing when it is killed: what was answered was written to the file.
class OneRedis final : public WalkedServers {
 public:
  OneRedis() { EXPECT_TRUE(redis_.start()); }
  void disturb(unsigned dice) override {
    switch (dice % 4) {
      case 0:
        redis_.kill9();
        is_killed_ = true;
        break;
      case 1:
        redis_.freeze();
        is_frozen_ = true;
        break;
      case 2:
        redis_.ask({"SCRIPT", "FLUSH"});
        break;
      default:
        redis_.ask({"CLIENT", "KILL", "TYPE", "normal"});
        break;
    }
  }
  void settle() override {
    if (std::exchange(is_frozen_, false)) redis_.thaw();
    const bool is_back = !std::exchange(is_killed_, false) || redis_.start();
    EXPECT_TRUE(is_back);
  }
  [[nodiscard]] SocketSpec address() const { return redis_.address(); }

 private:
  testing::RedisProcess redis_;
  bool is_killed_ = false;
  bool is_frozen_ = false;
};

std::uint64_t first_seed() { return number_of("SHINGLED_SHARED_SEED", 1); }

TEST(SharedCountersLaw, EqualsBruteForceOverKillsOutagesAndMovesOfTheClock) {
  SHINGLED_NEED_REDIS();
  const std::uint64_t steps = number_of("SHINGLED_SHARED_STEPS", 3000);
  for (std::uint64_t walk = 0; walk < 4 && !::testing::Test::HasFailure(); ++walk) {
    OneRedis redis;
    const testing::TemporaryDirectory folder;
    SharedWalk::Plan plan;
    plan.folder = folder.path();
    plan.seed = first_seed() + walk;
    plan.goes_back = walk % 2 == 1;
    // The daemons notice a server that is back only after seconds, which a long run cannot wait for
    // too often.
    plan.disturb_one_of = static_cast<unsigned>(std::max<std::uint64_t>(60, steps / 1200));
    plan.options.redis.servers = {redis.address()};
    plan.options.redis.timeout = std::chrono::milliseconds(1000);
    // Of each: sent when it is told or all the time; without and with a cache.
    plan.options.flush = std::chrono::milliseconds(walk < 2 ? 60'000 : 10);
    plan.options.cache = std::chrono::milliseconds(walk == 0 || walk == 3 ? 0 : 60'000);
    plan.options.journal_max = 256'000;  // of which a quarter is in memory
    SharedWalk(plan, redis).go(steps / 4);
  }
}

}  // namespace
}  // namespace shingled::storage::redis
