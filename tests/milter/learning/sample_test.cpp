#include "milter/learning/sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "milter/history/row_code.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::learning {
namespace {

using history::Label;
using storage::sqlite::HistoryRow;
using storage::sqlite::HistoryTable;

bool go_on(const storage::WorkDone& /*work*/) { return true; }

HistoryRow row(std::int64_t time, Label label, std::vector<std::uint32_t> phrases) {
  history::MessageRecord record;
  for (const std::uint32_t phrase : phrases)
    record.pieces.push_back({.type = PieceType::kPhrase, .shingle = phrase, .known = true});
  record.sums.resize(record.pieces.size() * record.windows.size());
  return {.time = time,
          .queue_id = "Q" + std::to_string(time),
          .label = static_cast<std::uint8_t>(label),
          .details = history::encode_record(record)};
}

class SampleTest : public ::testing::Test {
 protected:
  Sample take(const std::vector<HistoryRow>& rows, std::size_t messages_max) {
    const std::string path = folder_.file("history.db");
    EXPECT_TRUE((*HistoryTable::open(path))->write(rows, {}));
    auto sample = take_sample(path, {}, {}, {.messages_max = messages_max}, go_on);
    EXPECT_TRUE(sample);
    return sample ? *std::move(sample) : Sample{};
  }
  shingled::testing::TemporaryDirectory folder_;
};

TEST_F(SampleTest, IsBoundedAndSaysWhatIsLeftOut) {
  std::vector<HistoryRow> rows;
  for (std::int64_t time = 1; time <= 1000; ++time)
    rows.push_back(row(time, time % 5 == 0 ? Label::kSpam : Label::kNone, {}));
  const Sample sample = take(rows, 200);
  EXPECT_EQ(sample.bad, 200U);
  EXPECT_EQ(sample.wanted, 800U);
  EXPECT_EQ(sample.messages.size(), 200U);
  EXPECT_EQ(sample.left_out, 800U);
  double wanted = 0;
  for (const TaughtMessage& one : sample.messages) wanted += one.bad ? 0 : one.weight;
  EXPECT_NEAR(wanted, 800, 1) << "those that are in it weigh more for those that are not";
  EXPECT_TRUE(std::ranges::is_sorted(sample.messages, {}, &TaughtMessage::time));
}

TEST_F(SampleTest, TakesTheFirstMessagesOfACampaignForBad) {
  const Sample sample =
      take({row(1, Label::kNone, {1, 2, 3}), row(2, Label::kNone, {1, 7, 8, 9, 10}),
            row(3, Label::kSpam, {1, 2, 3}), row(4, Label::kNone, {4, 5}),
            row(5, Label::kSpam, {4, 5}), row(6, Label::kHam, {4, 5})},
           1000);
  ASSERT_EQ(sample.messages.size(), 6U);
  EXPECT_EQ(sample.alike, 1U);
  EXPECT_TRUE(sample.messages[0].bad) << "as the reported one";
  EXPECT_FALSE(sample.messages[1].bad) << "one phrase of five";
  EXPECT_FALSE(sample.messages[3].bad) << "somebody rescued such mail";
  EXPECT_EQ(sample.messages[0].weight, 1);
  EXPECT_EQ(sample.messages[2].weight, kPeopleWeight);
}

TEST_F(SampleTest, OneSenderDoesNotOutweighAllOthers) {
  std::vector<HistoryRow> rows;
  for (std::int64_t time = 1; time <= 100; ++time) {
    rows.push_back(row(time, Label::kSpam, {}));
    rows.back().sender = time <= 80 ? 7 : static_cast<std::uint64_t>(100 + time);
  }
  const Sample sample = take(rows, 1000);
  EXPECT_EQ(sample.messages.front().weight, kPeopleWeight / 4) << "20 of 80";
  EXPECT_EQ(sample.messages.back().weight, kPeopleWeight);
}

TEST_F(SampleTest, SaysWhatIsMissing) {
  const Sample sample = take({row(1, Label::kSpam, {})}, 1000);
  const Missing missing = missing_of(sample.bad, sample.wanted, sample.first, sample.last);
  EXPECT_TRUE(missing.any());
  EXPECT_EQ(
      missing_text(sample.bad, sample.wanted, missing),
      "1 of 400 bad messages, 0 of 800 wanted ones; at the present rate the missing ones never "
      "come");
}

}  // namespace
}  // namespace shingled::milter::learning
