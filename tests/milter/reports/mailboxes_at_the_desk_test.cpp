// Covers milter/reports/report_desk.cpp: who a reporter is.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/milter/reports/desk.h"

namespace shingled::milter::reports {
namespace {

TEST_F(Desk, KnowsAPersonByEachNameOfTheMailbox) {
  settings.reports.domain = "example.org";
  settings.reports.aliases = directory.file("virtual");
  std::ofstream(settings.reports.aliases) << "sales@example.org ann\n";
  open();
  spam("ann", mail(1));
  for (const char* name : {"Ann@Example.org", "<ann@example.org>", "ann+x", "sales"})
    EXPECT_EQ(spam(name, mail(1)).what, What::kSame) << name;
  EXPECT_EQ(weight(mail(1)), 0) << "one person alone teaches nothing";
  spam("ann@example.net", mail(1));
  EXPECT_EQ(weight(mail(1)), 3) << "somebody else does";
}

TEST_F(Desk, TrustsAMailboxByEachOfItsNames) {
  settings.reports.domain = "example.org";
  settings.reports.trusted_reporters = {"Postmaster"};
  open();
  spam("postmaster+trap@example.org", mail(1));
  EXPECT_EQ(weight(mail(1)), 3);
  const auto known = desk->reporters(10);
  ASSERT_TRUE(known);
  ASSERT_EQ(known->size(), 1U);
  EXPECT_EQ((*known)[0].name, "Postmaster");
}

TEST_F(Desk, GivesAMailboxWhatItsNameReportedBefore) {
  settings.reports.domain = "example.org";
  open();
  {
    // As versions did it that knew no mailboxes.
    const auto table =
        storage::sqlite::ReportTable::open(settings.reports.file, site_id(kTestSite));
    ASSERT_TRUE(table) << table.error().message;
    const auto message = read_reported(mail(1), kTestSite, taught_rules(settings));
    ASSERT_TRUE((*table)->add({message.name, reporter_id(kTestSite, "u05"), ReportKind::kSpam,
                               unix_seconds(clock.wall()), message.hashes},
                              {}));
  }
  EXPECT_EQ(spam("u05", mail(1)).what, What::kSame);
  EXPECT_EQ(spam("u05@example.org", mail(1)).what, What::kSame);
  EXPECT_EQ(ham("u05@example.org", mail(1)).what, What::kTurned);
  const auto known = desk->reporters(10);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->size(), 1U);
}

}  // namespace
}  // namespace shingled::milter::reports
