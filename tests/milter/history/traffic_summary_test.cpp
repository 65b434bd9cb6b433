// Covers milter/history/row_feed.cpp, too.
#include "milter/history/traffic_summary.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "milter/history/row_code.h"
#include "milter/history/row_feed.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::history {
namespace {

using std::chrono::minutes;
using storage::sqlite::HistoryReader;
using storage::sqlite::HistoryRow;
using storage::sqlite::HistoryTable;

constexpr std::uint8_t kReject = 4;

class TrafficSummaryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto table = HistoryTable::open(file_);
    ASSERT_TRUE(table);
    table_ = *std::move(table);
  }
  [[nodiscard]] std::int64_t now() const { return clock_.wall().time_since_epoch().count(); }
  /// So many messages, each a microsecond after the other, from a second on.
  void write(std::int64_t second, std::size_t count, std::uint8_t action, double score) {
    MessageRecord record;
    record.score = score;
    std::vector<HistoryRow> rows;
    for (std::size_t i = 0; i < count; ++i)
      rows.push_back({.time = second * 1'000'000 + static_cast<std::int64_t>(i),
                      .queue_id = "Q",
                      .action = action,
                      .details = encode_record(record)});
    ASSERT_TRUE(table_->write(rows, {}));
  }
  /// Whether all of the span is counted.
  bool read(std::chrono::seconds span, Duration work = std::chrono::hours(1)) {
    auto reader = HistoryReader::open(file_);
    EXPECT_TRUE(reader);
    const WallTime since = clock_.wall() - span;
    const Status done =
        summary_.read_on(**reader, since, clock_.wall(), clock_, clock_.now() + work);
    EXPECT_TRUE(done);
    return summary_.counted_since() <= since.time_since_epoch().count();
  }
  [[nodiscard]] std::vector<std::uint64_t> steps(minutes step, std::size_t count,
                                                 std::size_t action) const {
    std::vector<std::uint64_t> out;
    for (const auto& one : summary_.numbers(clock_.wall(), step, count).steps)
      out.push_back(one[action]);
    return out;
  }

  shingled::testing::TemporaryDirectory folder_;
  std::string file_ = folder_.file("history.db");
  shingled::testing::ManualClock clock_;
  std::unique_ptr<HistoryTable> table_;
  TrafficSummary summary_;
};

using Numbers = std::vector<std::uint64_t>;

TEST_F(TrafficSummaryTest, CountsEachRowOnceInItsStep) {
  const std::int64_t minute = now() / 60 * 60;
  write(minute - 120, 3, 0, 0.5);
  write(minute - 60, 2, kReject, 12);
  EXPECT_TRUE(read(minutes(60)));
  EXPECT_EQ(steps(minutes(1), 3, 0), (Numbers{3, 0, 0}));
  EXPECT_EQ(steps(minutes(1), 3, kReject), (Numbers{0, 2, 0}));
  write(minute, 1, 0, -50);
  EXPECT_TRUE(read(minutes(60)));
  EXPECT_TRUE(read(minutes(60))) << "nothing new";
  EXPECT_EQ(steps(minutes(1), 3, 0), (Numbers{3, 0, 1}));
  const auto all = summary_.numbers(clock_.wall(), minutes(10), 144);
  EXPECT_EQ(all.messages, 6U);
  EXPECT_EQ(all.scores.front(), 1U) << "below all ends";
  EXPECT_EQ(std::accumulate(all.scores.begin(), all.scores.end(), std::uint64_t{0}), 6U);
}

TEST_F(TrafficSummaryTest, ReadsBackAsFarAsSomebodyAsks) {
  write(now() - 7200, 5, 0, 1);
  EXPECT_TRUE(read(minutes(60)));
  EXPECT_EQ(summary_.numbers(clock_.wall(), minutes(10), 144).messages, 0U);
  EXPECT_TRUE(read(minutes(180)));
  EXPECT_EQ(summary_.numbers(clock_.wall(), minutes(10), 144).messages, 5U);
}

TEST_F(TrafficSummaryTest, IsCompleteInTheEndHoweverLittleItReadsAtOnce) {
  write(now() - 7200, 1000, 0, 1);
  write(now() - 3600, 1000, 0, 1);
  EXPECT_FALSE(read(std::chrono::hours(24), Duration::zero())) << "without time nothing is read";
  for (int hours = 1; hours <= 24; ++hours) EXPECT_TRUE(read(std::chrono::hours(hours)));
  EXPECT_EQ(summary_.numbers(clock_.wall(), minutes(10), 144).messages, 2000U);
}

TEST_F(TrafficSummaryTest, BeginsAnewWhenTheClockIsSetBack) {
  clock_.advance(std::chrono::hours(48));
  write(now(), 2, 0, 1);
  EXPECT_TRUE(read(minutes(60)));
  clock_.advance(-std::chrono::hours(24));
  write(now(), 3, 0, 1);
  EXPECT_TRUE(read(minutes(60)));
  EXPECT_EQ(steps(minutes(1), 1, 0), Numbers{3});
}

TEST(ScoreOf, ReadsTheScoreAlone) {
  MessageRecord record;
  record.score = -7.25;
  record.recipients = 300;
  const Bytes bytes = encode_record(record);
  EXPECT_EQ(score_of(bytes), -7.25);
  for (std::size_t length = 0; length < 11; ++length)
    EXPECT_FALSE(score_of(BytesView(bytes).first(length))) << length;
}

TEST(RowFeed, GivesRowsWithoutWhatIsKept) {
  HistoryRow given;
  bool kept = false;
  RowFeed feed([&](HistoryRow row, bool is_kept) {
    given = std::move(row);
    kept = is_kept;
  });
  EXPECT_FALSE(feed.is_wanted());
  HistoryRow row{.time = 3, .queue_id = "Q", .details = {1}, .subject = "s", .kept = {7}};
  feed.give(RowFeed::without_kept(row), true);
  EXPECT_TRUE(kept);
  row.kept.clear();
  EXPECT_EQ(given, row);
}

}  // namespace
}  // namespace shingled::milter::history
