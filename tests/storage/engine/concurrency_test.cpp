// Covers storage/engine/record_store.cpp.
// Readers beside the writer. Run it under ThreadSanitizer, too: its findings count like failed
// asserts.
#include <gmock/gmock.h>

#include <thread>

#include "storage/engine/record_store.h"
#include "tests/storage/engine/engine_fixture.h"

namespace shingled::storage::engine {
namespace {

TEST(ReadGate, WaitsForReadersInsideAndNotForLaterOnes) {
  ReadGate gate;
  std::atomic<bool> inside{false};
  std::atomic<bool> leave{false};
  std::atomic<bool> waited{false};
  std::thread reader([&] {
    const ReadGate::Pass pass(gate);
    inside = true;
    while (!leave) std::this_thread::yield();
    EXPECT_FALSE(waited) << "the writer continued while a reader was inside";
  });
  while (!inside) std::this_thread::yield();
  std::thread writer([&] {
    gate.wait_for_readers();
    waited = true;
  });
  for (int i = 0; i < 1000; ++i) const ReadGate::Pass later(gate);
  leave = true;
  reader.join();
  writer.join();
  EXPECT_TRUE(waited);
}

// The writer adds, removes, grows the maps and reuses numbers all the time. A reader may come while
// a record is put into its slots, but it always gets one whole record.
TEST_F(EngineTest, ReadersSeeWholeRecordsWhileTheWriterChangesThem) {
  constexpr int kRounds = 60;
  constexpr std::size_t kTexts = 64;
  open();
  std::vector<Fingerprint> texts;
  for (std::size_t i = 0; i < kTexts; ++i) texts.push_back(random_fingerprint(random_));
  const Fingerprint constant = random_fingerprint(random_);
  const Fingerprint near_constant = near_duplicate(constant, 24, random_);
  ASSERT_TRUE(apply(add(constant, 5)));

  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> answers{0};
  const auto read = [&](std::uint64_t seed) {
    Seeded random(seed);
    while (!stop) {
      const Fingerprint& text = texts[random() % kTexts];
      const Fingerprint asked = near_duplicate(text, 20, random);
      if (const auto match = check(asked)) {
        EXPECT_EQ(match->digest, text.digest);
        EXPECT_LE(match->slots, 20U);
        // 3 on flag 1, then 3 on flag 2, again and again; a group may end in between.
        const std::vector<FlagValue> flags = flags_of(*match);
        if (flags.size() == 1) {
          EXPECT_EQ(flags[0], (FlagValue{1, 3}));
        } else {
          EXPECT_EQ(flags.size(), 2U);
          EXPECT_THAT(flags[0].value - flags[1].value, ::testing::AnyOf(0, 3));
        }
      }
      EXPECT_TRUE(check(near_constant));
      answers.fetch_add(1, std::memory_order_relaxed);
    }
  };
  std::thread first(read, 1);
  std::thread second(read, 2);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Update> updates;
    for (int i = 0; i < 40; ++i) {
      const Fingerprint& text = texts[random_() % kTexts];
      if (random_() % 2 == 0) {
        updates.push_back(remove(text));
      } else {
        updates.push_back(add(text, 3, 1));
        updates.push_back(add(text, 3, 2));
      }
    }
    for (int i = 0; i < 200; ++i) updates.push_back(add(random_fingerprint(random_)));
    ASSERT_TRUE(engine_->apply(updates));
  }
  stop = true;
  first.join();
  second.join();
  EXPECT_GT(answers, 0U);
}

}  // namespace
}  // namespace shingled::storage::engine
