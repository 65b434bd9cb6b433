// A connection may end after any byte. The next connection always completes what is missing.
#include "tests/storage/replication/replica_world.h"

namespace shingled::storage::replication {
namespace {

class CutTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kJournal = 1000;

  Update some_update(const std::vector<Fingerprint>& texts) {
    const Fingerprint& text = texts[random_() % texts.size()];
    if (random_() % 8 == 0) return {.kind = Update::Kind::kDelete, .fingerprint = text};
    const auto value = static_cast<std::int32_t>(1 + random_() % 5);
    return {.flag = static_cast<std::uint32_t>(1 + random_() % 3),
            .value = value,
            .fingerprint = text,
            .source = random_()};
  }

  engine::Seeded random_{20'261'128};
  shingled::testing::SeededRandom bits_{20'261'128};
  shingled::testing::ManualClock clock_;
  ReplicaStore master_{clock_, bits_, kJournal};
  ReplicaStore mirror_{clock_, bits_, 0};
  MemoryLink link_{master_, mirror_, bits_};
};

TEST_F(CutTest, AfterAnyByteOfTheJournal) {
  std::vector<Fingerprint> texts(4);
  for (Fingerprint& text : texts) text = engine::random_fingerprint(random_);
  link_.connect();
  link_.run();
  std::size_t longest = 0;
  for (std::size_t cut_after = 0; cut_after <= longest + 1; ++cut_after) {
    master_.apply(some_update(texts));
    link_.connect(cut_after);
    link_.run();
    master_.apply(some_update(texts));
    const std::uint64_t before = link_.carried();
    link_.connect();
    link_.run();
    ASSERT_EQ(link_.failure(), "");
    ASSERT_EQ(mirror_.contents(), master_.contents()) << "cut after byte " << cut_after;
    longest = std::max<std::size_t>(longest, link_.carried() - before);
    if (cut_after == 0) longest = link_.carried() - before;
    longest = std::min<std::size_t>(longest, 2500);
  }
  EXPECT_GT(longest, 500U);
}

TEST_F(CutTest, AnywhereInAComparison) {
  for (int i = 0; i < 1500; ++i) {  // more than one message, and more than the journal has
    const Fingerprint text = engine::random_fingerprint(random_);
    const Update update{.flag = 1, .value = 1, .fingerprint = text};
    master_.engine->submit(update, [](const Status&) {});
  }
  std::vector<Fingerprint> texts(4);
  for (Fingerprint& text : texts) text = engine::random_fingerprint(random_);
  for (int round = 0; round < 60; ++round) {
    master_.apply(some_update(texts));
    link_.connect(random_() % 1'200'000);
    link_.run();
  }
  link_.connect();
  link_.run();
  ASSERT_EQ(link_.failure(), "");
  EXPECT_EQ(mirror_.contents(), master_.contents());
}

}  // namespace
}  // namespace shingled::storage::replication
