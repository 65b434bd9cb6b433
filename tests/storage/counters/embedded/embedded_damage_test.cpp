// Covers storage/counters/sealed/unique_doubts.cpp, storage/counters/compactor/lost_files.cpp:
// EmbeddedCounters after bytes of a file changed: unknown only where something is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "config/system/file_system.h"
#include "tests/storage/counters/embedded/embedded_fixture.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::counters {

namespace {

constexpr std::uint64_t kSpread = 0x9E37'79B9'7F4A'7C15;

class EmbeddedDamageTest : public EmbeddedCountersTest {
 protected:
  /// One slot with many counters and pairs, sealed.
  void add_slot(std::uint64_t seed, std::uint64_t count) {
    for (std::uint64_t i = 1; i <= count; ++i) {
      const std::uint64_t shingle = (seed + i) * kSpread;
      const std::uint64_t unique = (i % 5 + 1) * 0xD1B5'4A32'D192'ED03;
      add({{{shingle, PieceType::kFrom}},
           {{{shingle, PieceType::kSenderRecipient}, unique}},
           message()});
    }
  }
  void seal() {
    clock_.advance(std::chrono::minutes(10));
    maintain();
  }
  /// All that is said to be known must be right. Returns how many sums are not.
  std::size_t lost_sums(bool only_unique = false) {
    const std::vector<CounterKey> keys = oracle_.keys();
    const CounterAnswers answers = counters_->ask(keys, kWindows);
    const Slot now = counters_->present_slot();
    std::size_t lost = 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      for (std::size_t w = 0; w < kWindows.size(); ++w) {
        if (!answers.is_known(k, w)) {
          lost += !only_unique || is_unique(keys[k].type) ? 1U : 0U;
          continue;
        }
        Amounts got = answers.of(k, w);
        if (is_unique(keys[k].type)) got.of(kNewOnDay) = 0;
        EXPECT_EQ(got.counts, oracle_.sum(keys[k], kWindows[w], now).counts)
            << to_string(keys[k].type) << " window " << w;
      }
    }
    return lost;
  }
  bool knows_all(const Window& window) {
    const std::vector<CounterKey> keys = oracle_.keys();
    const CounterAnswers answers = counters_->ask(keys, std::vector{window});
    return std::ranges::all_of(answers.known, [](bool known) { return known; });
  }
  void flip(const std::string& name, std::size_t at) {
    counters_.reset();
    ASSERT_LT(at, files_.content(name).size());
    files_.content(name)[at] ^= 1;
    open();
  }
};

constexpr Window kTenMinutes{Period::Unit::kSlot, 1, 0};
constexpr Window kHour{Period::Unit::kSlot, 6, 0};
constexpr Window kToday{Period::Unit::kDay, 1, 0};

TEST_F(EmbeddedDamageTest, WindowsThatDoNotReachThePeriodsOfTheBlockStayExact) {
  open();
  add_slot(0, 3000);
  seal();
  flip("1.counts", 5000);
  add_slot(0, 3000);
  EXPECT_TRUE(knows_all(kTenMinutes));
  const std::size_t lost = lost_sums();
  EXPECT_GT(lost, 0U);
  EXPECT_LT(lost, oracle_.keys().size() * kWindows.size() / 2);
  EXPECT_FALSE(knows_all(kHour));
  EXPECT_FALSE(knows_all(kToday));
  for (int slot = 0; slot < 6; ++slot) seal();
  EXPECT_TRUE(knows_all(kHour));
  clock_.advance(std::chrono::hours(24));
  maintain();
  EXPECT_TRUE(knows_all(kToday));
  EXPECT_GT(lost_sums(), 0U);
}

TEST_F(EmbeddedDamageTest, EveryPlaceOfAFileMayChange) {
  open();
  add_slot(0, 400);
  seal();
  counters_.reset();
  const std::size_t size = files_.content("1.counts").size();
  const auto whole = files_.content("1.counts");
  for (std::size_t at = 7; at < size; at += size / 23) {
    SCOPED_TRACE(at);
    EmbeddedDamageTest::flip("1.counts", at);
    EXPECT_GT(lost_sums(), 0U);
    EXPECT_TRUE(knows_all(kTenMinutes));
    counters_.reset();
    files_.content("1.counts") = whole;
    open();
    EXPECT_EQ(lost_sums(), 0U);
  }
}

TEST_F(EmbeddedDamageTest, SettingAsideMergingAndStartingKeepWhatIsKnown) {
  open();
  add_slot(0, 3000);
  seal();
  flip("1.counts", 9000);
  const std::size_t lost = lost_sums();
  maintain();
  EXPECT_TRUE(files_.has("1.counts.damaged"));
  EXPECT_FALSE(files_.has("1.counts"));
  EXPECT_TRUE(counters_->verify({}));
  EXPECT_EQ(lost_sums(), lost);
  ASSERT_EQ(counters_->losses().size(), 1U);
  EXPECT_TRUE(counters_->losses()[0].set_aside);
  EXPECT_LT(counters_->losses()[0].share, 0.5);
  open();
  EXPECT_EQ(lost_sums(), lost);
  for (int slot = 0; slot < 8; ++slot) {
    add_slot(0, 700);
    seal();
    EXPECT_GT(lost_sums(), 0U);
  }
  for (int day = 0; day < 16; ++day) {
    clock_.advance(std::chrono::hours(24));
    maintain();
    lost_sums();
  }
  EXPECT_EQ(lost_sums(), 0U);
  EXPECT_TRUE(counters_->losses().empty());
  EXPECT_FALSE(files_.has("1.counts.damaged"));
}

TEST_F(EmbeddedDamageTest, UniqueCountersWithPairsInTheBlockAreUnknownAlsoAfterAStart) {
  open();
  add_slot(0, 3000);
  seal();
  EXPECT_EQ(lost_sums(true), 0U);
  flip("1.counts", 9000);
  const std::size_t before = lost_sums(true);
  add_slot(0, 3000);  // pairs that were there, and of some nobody can know
  const std::size_t doubted = lost_sums(true);
  EXPECT_GT(doubted, before);
  EXPECT_TRUE(knows_all(kTenMinutes));
  open();  // from the log
  EXPECT_EQ(lost_sums(true), doubted);
  seal();
  open();  // from the catalogue
  lost_sums();
  EXPECT_FALSE(knows_all(kToday));
  for (int day = 0; day < 16; ++day) {
    clock_.advance(std::chrono::hours(24));
    maintain();
    lost_sums();
  }
  EXPECT_EQ(lost_sums(), 0U);
  EXPECT_EQ(counters_->status().doubts, 0U);
}

TEST_F(EmbeddedDamageTest, AForgottenCounterIsKnown) {
  open();
  add_slot(0, 3000);
  seal();
  flip("1.counts", 5000);
  maintain();
  const std::vector<CounterKey> keys = oracle_.keys();
  const CounterAnswers before = counters_->ask(keys, std::vector{kToday});
  const auto lost = std::ranges::find(before.known, false) - before.known.begin();
  ASSERT_LT(static_cast<std::size_t>(lost), keys.size());
  const std::vector<CounterKey> key{keys[static_cast<std::size_t>(lost)]};
  EXPECT_FALSE(counters_->series(key[0]));
  ASSERT_TRUE(counters_->forget(key));
  EXPECT_TRUE(counters_->ask(key, kWindows).known[0]);
  open();
  EXPECT_TRUE(counters_->ask(key, kWindows).known[0]);
  EXPECT_TRUE(counters_->series(key[0]));
}

TEST_F(EmbeddedDamageTest, RepairSetsAsideWhatIsDamagedAndWhatIsGone) {
  open();
  add_slot(0, 3000);
  seal();
  add_slot(1'000'000, 3000);
  clock_.advance(std::chrono::minutes(10));
  counters_.reset();
  ASSERT_TRUE(files_.has("1.counts"));
  files_.content("1.counts").back() ^= 1;
  open();
  EXPECT_FALSE(counters_->verify({}));
  ASSERT_TRUE(counters_->repair({}));
  EXPECT_TRUE(counters_->verify({}));
  EXPECT_EQ(counters_->status().files_lost, 0U);
  EXPECT_GT(lost_sums(), 0U);
  EXPECT_TRUE(knows_all(kTenMinutes));
  open();
  EXPECT_TRUE(counters_->verify({}));
  EXPECT_GT(lost_sums(), 0U);
}

// Say, when the daemon started it had no descriptor left.
TEST_F(EmbeddedDamageTest, RepairTakesBackAFileThatCanBeReadAgain) {
  open();
  add_slot(0, 300);
  seal();
  files_.deny("1.counts");
  open();
  EXPECT_EQ(counters_->status().files_lost, 1U);
  EXPECT_GT(lost_sums(), 0U);
  files_.allow("1.counts");
  ASSERT_TRUE(counters_->repair({}));
  EXPECT_TRUE(counters_->verify({}));
  EXPECT_EQ(counters_->status().files_lost, 0U);
  EXPECT_EQ(lost_sums(), 0U);
  EXPECT_TRUE(counters_->losses().empty());
  open();
  EXPECT_EQ(lost_sums(), 0U);
}

TEST_F(EmbeddedDamageTest, AFileThatTheDiskDoesNotGiveIsWholeWhenItDoesSoAgain) {
  const testing::TemporaryDirectory folder;
  EmbeddedCounterOptions options;
  options.directory = folder.path();
  const auto files = folder_files(folder.path());
  counters_ = EmbeddedCounters::open(options, *files, clock_).value();
  add_slot(0, 300);
  seal();
  const std::string path = folder.file("1.counts");
  std::ifstream reading(path, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(reading), {});
  ASSERT_GT(content.size(), 1000U);
  std::filesystem::resize_file(path, 0);  // of what is mapped, nothing can be read any more
  EXPECT_GT(lost_sums(), 0U);
  EXPECT_EQ(counters_->status().files_damaged, 1U);
  // The same file, not a new one.
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << content;
  EXPECT_EQ(lost_sums(), 0U);
  clock_.advance(std::chrono::minutes(10));
  EXPECT_EQ(counters_->status().files_damaged, 0U) << "it is merged again";
  EXPECT_TRUE(counters_->verify({}));
  counters_.reset();
}

TEST_F(EmbeddedDamageTest, AFileThatIsGoneKeepsItsPeriodsUnknownNotItsDays) {
  open();
  add_slot(0, 100);
  seal();
  counters_.reset();
  ASSERT_TRUE(files_.remove("1.counts"));
  open();
  add_slot(0, 100);
  EXPECT_TRUE(knows_all(kTenMinutes));
  EXPECT_FALSE(knows_all(kHour));
  EXPECT_EQ(counters_->status().files_lost, 1U);
  lost_sums();
}

}  // namespace

}  // namespace shingled::storage::counters
