// Covers storage/redis/counters: the law of tests/storage/redis/counters/shared_walk.h with a
// cluster whose masters are killed, frozen, replaced and hand over slots.
#include <iostream>
#include <thread>

#include "storage/redis/route/slot_map.h"
#include "tests/storage/redis/counters/shared_walk.h"
#include "tests/storage/redis/route/cluster_process.h"

namespace shingled::storage::redis {
namespace {

/// With `wait_replicas` 1 nothing is lost by a failover: what a daemon takes as sent is on the
/// master and its replica. What is on the master alone is sent again, and its number says to the
/// new master that it lacks it. One thing goes wrong at a time, and the next one when each master
/// has its replica again: two copies do not survive the loss of both.
class WholeCluster final : public WalkedServers {
 public:
  WholeCluster() {
    EXPECT_TRUE(cluster_.start());
    EXPECT_TRUE(cluster_.wait_until_whole());
  }
  ~WholeCluster() override {
    std::cout << failovers_ << " failovers, " << moves_ << " slots moved\n";
  }
  void disturb(unsigned dice) override {
    const std::vector<std::size_t> masters = nodes(true);
    const std::vector<std::size_t> replicas = nodes(false);
    if (masters.size() < 3 || replicas.empty()) return;
    const std::size_t master = masters[dice / 10 % masters.size()];
    before_ = masters;
    switch (kinds_++ % 8) {
      case 0:
        fails_over_ = true;
        [[fallthrough]];
      case 4:
        cluster_.kill9(master);
        killed_ = master;
        break;
      case 1:
      case 5:
        begin_move(master, masters[(dice / 10 + 1) % masters.size()],
                   static_cast<std::uint16_t>(dice % kClusterSlots));
        break;
      case 2:
        cluster_.freeze(master);
        frozen_ = master;
        break;
      case 3:
        tell(replicas[dice / 10 % replicas.size()], {"CLUSTER", "FAILOVER"});
        break;
      case 6:
        tell(master, {"SCRIPT", "FLUSH"});
        break;
      default:
        for (const std::size_t node : masters) tell(node, {"CLIENT", "KILL", "TYPE", "normal"});
        break;
    }
  }
  void settle() override {
    // A replica that was cut off for long does not take over.
    const TimePoint end = clock_.now() + std::chrono::seconds(30);
    while (fails_over_ && nodes(true).size() < 3 && clock_.now() < end) std::this_thread::yield();
    fails_over_ = false;
    if (frozen_) cluster_.thaw(*std::exchange(frozen_, std::nullopt));
    if (killed_) cluster_.run(*std::exchange(killed_, std::nullopt));
    if (move_) end_move(*std::exchange(move_, std::nullopt));
    EXPECT_TRUE(cluster_.wait_until_whole());
    if (!before_.empty() && nodes(true) != before_) ++failovers_;
    before_.clear();
  }
  [[nodiscard]] std::vector<SocketSpec> seeds() const { return cluster_.seeds(); }

 private:
  struct Move {
    std::size_t from;
    std::size_t to;
    std::string slot;
  };

  [[nodiscard]] std::vector<std::size_t> nodes(bool masters) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < testing::ClusterProcess::kNodes; ++i)
      if (cluster_.is_master(i) == masters) out.push_back(i);
    return out;
  }
  void tell(std::size_t node, std::initializer_list<std::string_view> words) const {
    static_cast<void>(cluster_.ask(cluster_.port(node), words));
  }
  [[nodiscard]] std::string id(std::size_t node) const {
    return cluster_.ask(cluster_.port(node), {"CLUSTER", "MYID"}).text;
  }
  /// The slot of a key of `from`, or `otherwise`; one key moves, so that the slot is in two places.
  void begin_move(std::size_t from, std::size_t to, std::uint16_t otherwise) {
    const auto keys = cluster_.ask(cluster_.port(from), {"KEYS", "*"}).elements;
    const std::uint16_t slot =
        keys.empty() ? otherwise : key_slot(keys[otherwise % keys.size()].text);
    move_ = Move{from, to, std::to_string(slot)};
    tell(to, {"CLUSTER", "SETSLOT", move_->slot, "IMPORTING", id(from)});
    tell(from, {"CLUSTER", "SETSLOT", move_->slot, "MIGRATING", id(to)});
    if (otherwise % 2 == 0) move_key(*move_);
  }
  /// Returns false if there is none.
  bool move_key(const Move& move) const {  // NOLINT(modernize-use-nodiscard)
    const auto keys =
        cluster_.ask(cluster_.port(move.from), {"CLUSTER", "GETKEYSINSLOT", move.slot, "1"});
    if (keys.elements.empty()) return false;
    const std::string port = std::to_string(cluster_.port(move.to));
    tell(move.from, {"MIGRATE", "127.0.0.1", port, keys.elements[0].text, "0", "10000"});
    return true;
  }
  void end_move(const Move& move) {
    ++moves_;
    while (move_key(move)) continue;
    // The receiver first, or both would refuse the slot for a moment.
    const std::string owner = id(move.to);
    for (const std::size_t node : {move.to, move.from})
      tell(node, {"CLUSTER", "SETSLOT", move.slot, "NODE", owner});
    EXPECT_TRUE(cluster_.wait_for_replica(
        move.to, slot_tag(static_cast<std::uint16_t>(std::stoul(move.slot)))));
  }

  SystemClock clock_;
  testing::ClusterProcess cluster_;
  unsigned kinds_ = 0;       ///< of what went wrong
  bool fails_over_ = false;  ///< the replica of what was killed is to take over before it is back
  std::optional<std::size_t> killed_;
  std::optional<std::size_t> frozen_;
  std::optional<Move> move_;
  std::vector<std::size_t> before_;  ///< masters when something went wrong
  std::size_t failovers_ = 0;
  std::size_t moves_ = 0;
};

TEST(SharedClusterLaw, EqualsBruteForceOverFailovers) {
  if (!testing::ClusterProcess::installed())
    GTEST_SKIP() << "redis-server and redis-tools are not installed";
  WholeCluster cluster;
  const testing::TemporaryDirectory folder;
  SharedWalk::Plan plan;
  plan.folder = folder.path();
  plan.seed = number_of("SHINGLED_SHARED_SEED", 1);
  const std::uint64_t steps = number_of("SHINGLED_SHARED_CLUSTER_STEPS", 1000);
  const std::uint64_t disturbances = number_of("SHINGLED_SHARED_DISTURBANCES", 4);
  plan.disturb_one_of = static_cast<unsigned>(steps / 6 / disturbances + 1);
  plan.outage_rounds = 200;
  plan.outage = std::chrono::milliseconds(6000);
  plan.unsent_bytes_max = 10'000'000;
  plan.options.redis.cluster = true;
  plan.options.redis.servers = cluster.seeds();
  plan.options.redis.wait_replicas = 1;
  plan.options.redis.timeout = std::chrono::milliseconds(500);
  plan.options.flush = std::chrono::milliseconds(50);
  plan.options.cache = std::chrono::milliseconds(plan.seed % 2 == 0 ? 60'000 : 0);
  SharedWalk(plan, cluster).go(steps, disturbances);
}

}  // namespace
}  // namespace shingled::storage::redis
