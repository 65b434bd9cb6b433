#include "milter/setup/reports_setup.h"

#include <gtest/gtest.h>

namespace shingled::milter::setup {
namespace {

constexpr const char* kPath = "/etc/shingled/shingled.yaml";

struct Row {
  const char* why;
  const char* settings;
  const char* after;  ///< with the answer "all"
};

TEST(ReportsSetup, WritesTheAnswerAndLeavesAllElse) {
  for (const Row& row : {
           Row{"an empty file", "", "reports:\n  residents: all\n"},
           Row{"no section", "milter:\n  dry_run: no\n",
               "milter:\n  dry_run: no\n\nreports:\n  residents: all\n"},
           Row{"a section without it, and its indentation",
               "reports:\n    # who\n    keep: 60d\nrules: {}\n",
               "reports:\n    residents: all\n    # who\n    keep: 60d\nrules: {}\n"},
           Row{"another answer with a comment", "reports:\n  residents: earned # strangers\n",
               "reports:\n  residents: all  # strangers\n"},
           Row{"a section with a comment, without an end of the line",
               "reports: # people\n  rate: off",
               "reports: # people\n  residents: all\n  rate: off\n"},
           Row{"a key of that name elsewhere", "x:\n  residents: earned\nreports:\n  keep: 1d\n",
               "x:\n  residents: earned\nreports:\n  residents: all\n  keep: 1d\n"},
           Row{"a key below another one", "reports:\n  spam:\n    residents: earned\n",
               "reports:\n  residents: all\n  spam:\n    residents: earned\n"},
           Row{"a comment that looks like it", "reports:\n  # residents: earned\n  keep: 1d\n",
               "reports:\n  residents: all\n  # residents: earned\n  keep: 1d\n"},
       }) {
    const Plan plan = plan_reports(kPath, row.settings, "all");
    ASSERT_EQ(plan.edits.size(), 1U) << row.why;
    EXPECT_EQ(plan.edits[0].path, kPath);
    EXPECT_EQ(plan.edits[0].content, row.after) << row.why;
    EXPECT_EQ(written_residents(row.after), "all") << row.why;
    EXPECT_TRUE(plan_reports(kPath, row.after, "all").is_right()) << row.why;
    EXPECT_TRUE(plan_reports(kPath, row.after, "").is_right()) << "answered: " << row.why;
  }
}

TEST(ReportsSetup, AsksWhereNobodyAnswered) {
  const Plan plan = plan_reports(kPath, "milter: {}\n", "");
  EXPECT_TRUE(plan.differences.empty());
  ASSERT_EQ(plan.problems.size(), 1U);
  EXPECT_NE(plan.problems[0].find("--residents all"), std::string::npos);
}

TEST(ReportsSetup, SaysWhatItCannotChange) {
  const Plan plan = plan_reports(kPath, "reports: {keep: 1d}\n", "all");
  EXPECT_TRUE(plan.edits.empty());
  ASSERT_EQ(plan.problems.size(), 1U);
  EXPECT_NE(plan.problems[0].find("by hand"), std::string::npos);
}

TEST(ReportsSetup, ReadsQuotedAnswers) {
  EXPECT_EQ(written_residents("reports:\n  residents: \"earned\"   # x\n"), "earned");
  EXPECT_EQ(written_residents("reports: {residents: all}\n"), std::nullopt);
}

}  // namespace
}  // namespace shingled::milter::setup
