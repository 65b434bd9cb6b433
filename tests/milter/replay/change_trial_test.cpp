// Covers milter/replay/fired_rules.cpp, too.
#include "milter/replay/change_trial.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "milter/history/row_code.h"
#include "milter/replay/fired_rules.h"
#include "tests/milter/policy/policy_world.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::replay {
namespace {

using policy::testing::compiled;
using policy::testing::rule;
using rules::Action;
using storage::sqlite::HistoryReader;
using storage::sqlite::HistoryRow;
using storage::sqlite::HistoryTable;

constexpr std::uint8_t kSpamLabel = 1;

ActionOptions thresholds() {
  ActionOptions actions;
  actions.add_header = 4;
  actions.reject = 8;
  return actions;
}

class ChangeTrialTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto table = HistoryTable::open(file_);
    ASSERT_TRUE(table);
    std::vector<HistoryRow> rows;
    // Of each number of links two messages; one of those with five was reported.
    for (std::int64_t i = 0; i < 12; ++i) {
      history::MessageRecord record;
      record.features.set_number(features::Feature::kLinks, static_cast<std::uint64_t>(i / 2));
      if (i / 2 >= 1) record.evidence.push_back({.symbol = "SOME", .score = 1, .policy = true});
      record.score = i / 2 >= 1 ? 1 : 0;
      rows.push_back({.time = i + 1,
                      .queue_id = "Q" + std::to_string(i),
                      .label = i == 11 ? kSpamLabel : std::uint8_t{0},
                      .details = history::encode_record(record)});
    }
    rows.push_back({.time = 100, .queue_id = "BROKEN", .details = {99}});
    ASSERT_TRUE((*table)->write(rows, {}));
    auto reader = HistoryReader::open(file_);
    ASSERT_TRUE(reader);
    reader_ = *std::move(reader);
  }
  ChangeReport tried(const policy::CompiledRules& after, ChangeBounds bounds = {}) {
    auto report =
        try_change(*reader_, {}, {before_, after, after.rules.size() - 1}, thresholds(), bounds);
    EXPECT_TRUE(report);
    return report.value_or(ChangeReport{});
  }

  shingled::testing::TemporaryDirectory folder_;
  std::string file_ = folder_.file("history.db");
  std::unique_ptr<HistoryReader> reader_;
  policy::CompiledRules before_ = compiled({rule("SOME", "links >= 1", 1)});
};

TEST_F(ChangeTrialTest, TellsWhatANewRuleChangesAndNothingElse) {
  const auto after = compiled({rule("SOME", "links >= 1", 1), rule("MANY", "links >= 4", 3)});
  const ChangeReport report = tried(after);
  EXPECT_EQ(report.messages.all, 12U);
  EXPECT_EQ(report.broken, 1U);
  EXPECT_EQ(report.hits, (TrialCounts{.all = 4, .spam = 1, .ham = 3, .complained = 1}));
  EXPECT_EQ(report.changed(), 4U);
  EXPECT_EQ(report.changes[0][static_cast<std::size_t>(Action::kAddHeader)], 4U);
  ASSERT_EQ(report.examples.size(), 4U);
  EXPECT_EQ(report.examples[0].queue_id, "Q11") << "the newest first";
  EXPECT_EQ(report.examples[0].score_to, 4);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.since, 1);
}

TEST_F(ChangeTrialTest, ARuleInShadowHitsAndChangesNothing) {
  auto quiet = rule("MANY", "links >= 4", 3);
  quiet.shadow = true;
  const ChangeReport report = tried(compiled({rule("SOME", "links >= 1", 1), quiet}));
  EXPECT_EQ(report.hits.all, 4U);
  EXPECT_EQ(report.changed(), 0U);
}

TEST_F(ChangeTrialTest, EndsAtItsBounds) {
  const auto after = compiled({rule("SOME", "links >= 1", 1), rule("MANY", "links >= 0", 4)});
  const ChangeReport few = tried(after, {.rows_max = 5, .examples_max = 2});
  EXPECT_FALSE(few.complete);
  EXPECT_EQ(few.messages.all + few.broken, 5U);
  EXPECT_EQ(few.examples.size(), 2U);
  EXPECT_FALSE(tried(after, {.go_on = [] { return false; }}).complete);
}

TEST_F(ChangeTrialTest, SaysWhichWindowsAreLacking) {
  const auto after =
      compiled({rule("SOME", "links >= 1", 1), rule("SEEN", "sender.mass >= 3 in 3h", 4)});
  EXPECT_EQ(tried(after).lacking, (std::map<std::string, std::uint64_t>{{"3h", 12}}));
}

TEST_F(ChangeTrialTest, CountsForWhichMessagesRulesFired) {
  const auto fired = count_fired(*reader_, {}, 1000, [] { return true; });
  ASSERT_TRUE(fired);
  EXPECT_EQ(fired->messages.all, 12U);
  EXPECT_EQ(fired->rules.at("SOME"),
            (TrialCounts{.all = 10, .spam = 1, .ham = 9, .complained = 1}));
  EXPECT_EQ(fired->since, 1);
  const auto few = count_fired(*reader_, {}, 3, [] { return true; });
  EXPECT_EQ(few->messages.all, 2U) << "and one that is broken";
  EXPECT_EQ(count_fired(*reader_, {}, 1000, [] { return false; })->messages.all, 0U);
}

}  // namespace
}  // namespace shingled::milter::replay
