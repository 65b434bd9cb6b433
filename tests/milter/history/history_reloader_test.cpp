#include "milter/history/history_reloader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/milter/history/kept_log.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::history {
namespace {

class HistoryReloaderTest : public ::testing::Test {
 protected:
  HistoryReloaderTest() {
    options_.file = folder_.file("history.db");
    counters_.embedded.directory = folder_.file("counters");
  }

  shingled::testing::TemporaryDirectory folder_;
  shingled::testing::ManualClock clock_;
  shingled::testing::SeededRandom random_{1};
  testing::KeptLog logger_;
  HistoryOptions options_;
  CounterOptions counters_;
  HistoryReloader reloader_{clock_, random_, logger_};
};

TEST_F(HistoryReloaderTest, OpensTheFileAndKeepsItOpenAtAReload) {
  reloader_.use(options_, counters_);
  const auto recorder = reloader_.current().get();
  ASSERT_NE(recorder, nullptr);
  EXPECT_TRUE(std::filesystem::exists(counters_.key_path()));
  reloader_.use(options_, counters_);
  EXPECT_EQ(reloader_.current().get(), recorder);
  options_.enabled = false;
  reloader_.use(options_, counters_);
  EXPECT_EQ(reloader_.current().get(), nullptr);
}

TEST_F(HistoryReloaderTest, WithoutAFileMailGoesOn) {
  std::ofstream(options_.file) << "this is no database, but a text of some length";
  reloader_.use(options_, counters_);
  EXPECT_EQ(reloader_.current().get(), nullptr);
  EXPECT_EQ(logger_.lines_with("history_off"), 1U);
}

TEST_F(HistoryReloaderTest, IsOffWithoutATrace) {
  options_.enabled = false;
  reloader_.use(options_, counters_);
  EXPECT_FALSE(std::filesystem::exists(options_.file));
  EXPECT_FALSE(std::filesystem::exists(counters_.embedded.directory));
}

TEST(HistoryNeeds, AreAllTypesOfAMessageInTheWindows) {
  HistoryOptions options;
  const auto needs = history_needs(options);
  for (const PieceType type :
       {PieceType::kSender, PieceType::kUniqueRecipients, PieceType::kStoredHash}) {
    const features::CounterNeed* const need = features::find_need(needs, type);
    ASSERT_NE(need, nullptr);
    const bool said = type != PieceType::kUniqueRecipients;
    EXPECT_EQ(need->windows.size(), said ? 5U : 4U);
    EXPECT_EQ(need->said, said) << "different things are not reported";
  }
  EXPECT_EQ(features::find_need(needs, PieceType::kMessageReporter), nullptr);
  options.windows.clear();
  EXPECT_TRUE(history_needs(options).empty());
  options = {};
  options.enabled = false;
  EXPECT_TRUE(history_needs(options).empty());
}

}  // namespace
}  // namespace shingled::milter::history
