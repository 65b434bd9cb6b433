#include "storage/counters/piece_names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "config/metrics/metric_report.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::counters {
namespace {

using testing::ManualClock;
using testing::TemporaryDirectory;

class PieceNamesTest : public ::testing::Test {
 protected:
  void open(std::size_t most = 1000) {
    names_.reset();
    auto opened =
        PieceNames::open_without_thread(directory_.file("names.db"), most, clock_, logger_);
    ASSERT_TRUE(opened) << opened.error().message;
    names_ = *std::move(opened);
  }
  double metric(std::string_view name) {
    MetricReport report;
    names_->report(report);
    return report.total(name);
  }

  TemporaryDirectory directory_;
  ManualClock clock_;
  NullLogger logger_;
  std::unique_ptr<PieceNames> names_;
};

TEST_F(PieceNamesTest, KnowsWhatWasNotedAtOnceAndAfterARestart) {
  open();
  const std::string odd = std::string("a\0b\xff", 4) + "'";
  names_->remember(PieceType::kLinkHost, ~std::uint64_t{0}, "example.org");
  names_->remember(PieceType::kSubject, 1, odd);
  EXPECT_EQ(names_->find(PieceType::kLinkHost, ~std::uint64_t{0}), "example.org");
  EXPECT_EQ(names_->find(PieceType::kLinkDomain, ~std::uint64_t{0}), std::nullopt);
  ASSERT_TRUE(names_->write());
  EXPECT_EQ(names_->find(PieceType::kSubject, 1), odd);
  names_->remember(PieceType::kFrom, 2, "a@example.org");
  open();
  EXPECT_EQ(names_->find(PieceType::kLinkHost, ~std::uint64_t{0}), "example.org");
  EXPECT_EQ(names_->find(PieceType::kSubject, 1), odd);
  EXPECT_EQ(names_->find(PieceType::kFrom, 2), "a@example.org") << "the end writes the rest";
  EXPECT_EQ(metric("shingled_counters_names"), 3);
}

TEST_F(PieceNamesTest, ForgetsWhatWasSeenTheLongestAgo) {
  open(10);
  for (std::uint64_t i = 0; i < 10; ++i) names_->remember(PieceType::kFrom, i, "old");
  ASSERT_TRUE(names_->write());
  clock_.advance(std::chrono::hours(3));
  names_->remember(PieceType::kFrom, 3, "old");
  for (std::uint64_t i = 20; i < 25; ++i) names_->remember(PieceType::kFrom, i, "new");
  ASSERT_TRUE(names_->write());
  EXPECT_EQ(metric("shingled_counters_names"), 10);
  EXPECT_TRUE(names_->find(PieceType::kFrom, 3)) << "seen again";
  for (std::uint64_t i = 20; i < 25; ++i) EXPECT_TRUE(names_->find(PieceType::kFrom, i));
}

TEST_F(PieceNamesTest, TextsFasterThanTheDiskAreDroppedAndCounted) {
  open(100'000);
  for (std::uint64_t i = 0; i < PieceNames::kWaitingMax + 5; ++i)
    names_->remember(PieceType::kFrom, i, "text");
  EXPECT_EQ(metric("shingled_counters_names_dropped"), 5);
  ASSERT_TRUE(names_->write());
  names_->remember(PieceType::kFrom, PieceNames::kWaitingMax, "text");
  EXPECT_TRUE(names_->find(PieceType::kFrom, PieceNames::kWaitingMax));
}

TEST_F(PieceNamesTest, BelongsToOneProcess) {
  open();
  EXPECT_FALSE(PieceNames::open(directory_.file("names.db"), 10, clock_, logger_));
}

}  // namespace
}  // namespace shingled::storage::counters
