// Covers storage/replication/message.cpp, storage/sqlite/hashes/part_table.cpp.
// Random histories of four stores: two masters that mirror each other, and two mirrors of both.
// They add and delete hashes, lose connections, restart, stay away until the journals are too
// short, and expire hashes. Once everything is connected again, all four hold the same.
#include <functional>

#include "storage/formats/verify.h"
#include "tests/storage/replication/replica_world.h"

namespace shingled::storage::replication {
namespace {

constexpr std::uint32_t kShortJournal = 12;  ///< soon too short for a mirror that stays away
constexpr auto kExpire = std::chrono::hours(1);
constexpr std::uint64_t kSeeds = 12;
constexpr int kSteps = 120;

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed), bits_(seed) {
    for (std::size_t i = 0; i < 4; ++i) {
      stores_.push_back(std::make_unique<ReplicaStore>(clock_, bits_, i < 2 ? kShortJournal : 0));
      stores_.back()->options.expire = kExpire;
      stores_.back()->open();
    }
    for (const auto& [master, mirror] : {std::pair{0, 1}, {1, 0}, {0, 2}, {0, 3}, {1, 2}, {1, 3}}) {
      links_.push_back(
          {std::make_unique<MemoryLink>(*stores_[static_cast<std::size_t>(master)],
                                        *stores_[static_cast<std::size_t>(mirror)], bits_),
           static_cast<std::size_t>(master), static_cast<std::size_t>(mirror)});
    }
    for (int i = 0; i < 6; ++i) {
      texts_.push_back(engine::random_fingerprint(random_));
      if (i % 3 == 0) texts_.back().shingles.reset();
    }
  }

  void step() {
    switch (random_() % 12) {
      case 0:
        return pick_link().link->connect(random_() % 3000);
      case 1:
      case 2:
        return pick_link().link->connect();
      case 3:
        return pick_link().link->cut();
      case 4:
        return restart(random_() % 4);
      case 5:
        clock_.advance(std::chrono::seconds(random_() % 900));
        return stores_[random_() % 4]->expire();
      case 6:
      case 7:
        return some_steps();
      default:
        return stores_[random_() % 2]->apply(some_update());
    }
  }
  void heal() {
    for (int round = 0; round < 2; ++round) {
      for (const Link& one : links_) one.link->connect();
      for (int turn = 0; turn < 4; ++turn) {
        for (const Link& one : links_) {
          one.link->run();
          EXPECT_TRUE(one.link->is_up()) << one.link->failure();
        }
      }
      clock_.advance(std::chrono::seconds(2));
      for (const auto& store : stores_) store->expire();
    }
  }
  void expect_all_equal() {
    const Contents contents = stores_[0]->contents();
    for (std::size_t i = 1; i < 4; ++i)
      EXPECT_EQ(stores_[i]->contents(), contents) << "store " << i;
    // The index agrees with the file, also after a restart.
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(stores_[i]->engine->size(), contents.size()) << "store " << i;
      const auto report =
          formats::verify_file(stores_[i]->options.hashfile, {.now = clock_.unix_seconds()},
                               [](const WorkDone&) { return true; });
      ASSERT_TRUE(report) << report.error().message;
      for (const std::string& problem : report->problems) ADD_FAILURE() << i << ": " << problem;
      for (const sqlite::FuzzyRow& row : contents) {
        const auto match = stores_[i]->engine->check(row.digest, nullptr, clock_.unix_seconds());
        ASSERT_TRUE(match);
        EXPECT_EQ(engine::flags_of(*match).front(), row.flags.front());
      }
    }
  }

 private:
  struct Link {
    std::unique_ptr<MemoryLink> link;
    std::size_t master;
    std::size_t mirror;
  };

  Link& pick_link() { return links_[random_() % links_.size()]; }
  void some_steps() {
    MemoryLink& link = *pick_link().link;
    for (std::uint64_t i = random_() % 8; i > 0; --i) link.step();
  }
  void restart(std::size_t store) {
    for (const Link& one : links_) {
      if (one.master == store || one.mirror == store) one.link->cut();
    }
    stores_[store]->open();
  }
  Update some_update() {
    const Fingerprint& text = texts_[random_() % texts_.size()];
    if (random_() % 5 == 0) {
      return {.kind = Update::Kind::kDelete,
              .flag = static_cast<std::uint32_t>(random_() % 3),
              .fingerprint = text};
    }
    Update update{.flag = static_cast<std::uint32_t>(1 + random_() % 12),
                  .value = static_cast<std::int32_t>(random_() % 9) - 2,
                  .weak = random_() % 4 == 0,
                  .fingerprint = text,
                  .source = random_() % 3};
    if (random_() % 4 == 0) update.fingerprint.shingles = engine::random_shingles(random_);
    if (random_() % 8 == 0) update.value = std::numeric_limits<std::int32_t>::max();
    return update;
  }

  engine::Seeded random_;
  shingled::testing::SeededRandom bits_;
  shingled::testing::ManualClock clock_;
  std::vector<std::unique_ptr<ReplicaStore>> stores_;
  std::vector<Link> links_;
  std::vector<Fingerprint> texts_;
};

TEST(ReplicationLaw, AllStoresHoldTheSameInTheEnd) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    for (int step = 0; step < kSteps; ++step) world.step();
    world.heal();
    world.expect_all_equal();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace shingled::storage::replication
