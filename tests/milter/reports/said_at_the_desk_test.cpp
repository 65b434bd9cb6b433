// Covers milter/reports/count_desk.cpp, milter/reports/mailbox_names.cpp.
#include <gtest/gtest.h>

#include "milter/reports/mailbox_names.h"
#include "tests/milter/reports/desk.h"
#include "tests/support/fake_people.h"

namespace shingled::milter::reports {
namespace {

using storage::people::Statement;

struct SaidAtTheDesk : Desk {
  std::shared_ptr<testing::FakePeople> people = std::make_shared<testing::FakePeople>();

  void SetUp() override {
    Desk::SetUp();
    settings.reports.domain = "example.org";
    connect();
  }
  void connect() {
    desk->connect({.store = &store,
                   .counters = [this] { return counters; },
                   .people = [this] { return people; },
                   .site = [] { return std::optional(kTestSite); },
                   .label = [](std::uint64_t, std::optional<ReportKind>) {}});
    desk->use(std::make_shared<const Settings>(settings));
  }
};

TEST_F(SaidAtTheDesk, APersonSaysOneThingOfAMessage) {
  spam("ann@example.org", mail(1));
  spam("Ann", mail(1));
  ASSERT_EQ(people->statements().size(), 1U);
  const Statement first = people->statements().front();
  EXPECT_EQ(first.kind, ReportKind::kSpam);
  EXPECT_EQ(first.time, clock.unix_seconds());
  EXPECT_GT(first.signs.size(), 5U);
  ham("ann+x@example.org", mail(1));
  ASSERT_EQ(people->statements().size(), 1U) << "the last word stands";
  EXPECT_EQ(people->statements().front().kind, ReportKind::kHam);
  EXPECT_EQ(people->statements().front().signs, first.signs);
}

TEST_F(SaidAtTheDesk, OneTextInTwoMessagesSharesSigns) {
  spam("ann", mail(1));
  spam("bob", mail(2));
  const auto said = people->statements();
  ASSERT_EQ(said.size(), 2U);
  EXPECT_NE(said[0].person, said[1].person);
  std::size_t shared = 0;
  for (const std::uint64_t sign : said[0].signs)
    shared += std::ranges::count(said[1].signs, sign) > 0 ? 1U : 0U;
  EXPECT_GT(shared, said[0].signs.size() / 2);
}

TEST_F(SaidAtTheDesk, KnowsWhoIsTrusted) {
  settings.reports.trusted_reporters = {"postmaster@example.org"};
  connect();
  spam("postmaster", mail(1));
  ASSERT_EQ(people->statements().size(), 1U);
  EXPECT_EQ(people->statements().front().standing, storage::people::Standing::kTrusted);
}

TEST_F(SaidAtTheDesk, AReportWaitsWhileItCannotBeSaid) {
  people->fail(true);
  EXPECT_FALSE(take(ReportKind::kSpam, "ann", mail(1)));
  people->fail(false);
  EXPECT_TRUE(take(ReportKind::kSpam, "ann", mail(1)));
  EXPECT_EQ(people->statements().size(), 1U);
}

TEST_F(SaidAtTheDesk, WhatIsWithdrawnOrClosedIsNotSaidAnyMore) {
  spam("ann", mail(1));
  spam("bob", mail(2));
  ham("joe", mail(3));
  const auto read = read_reported(mail(1), kTestSite, taught_rules(settings));
  ASSERT_FALSE(read.hashes.empty());
  const auto cases = desk->cases(0, 10, false);
  ASSERT_TRUE(cases);
  for (const KnownCase& one : *cases)
    ASSERT_TRUE(desk->rule_case(one.id, storage::sqlite::Ruling::kCloses));
  ASSERT_EQ(people->statements().size(), 1U);
  EXPECT_EQ(people->statements().front().kind, ReportKind::kHam) << "who wants it still does";
  std::vector<Digest> digests;
  for (const auto& hash : read.hashes) digests.push_back(hash.fingerprint.digest);
  ASSERT_TRUE(desk->withdraw(digests, 0));
  EXPECT_TRUE(people->statements().empty());
}

TEST_F(SaidAtTheDesk, ARecipientIsThePersonWhoReports) {
  spam("U05", mail(1));
  PersonNames names(clock, logger);
  EXPECT_EQ(names.person_of("<u05@example.org>"), 0U) << "nobody is known yet";
  names.use(settings.reports, kTestSite);
  EXPECT_EQ(names.person_of("<u05+news@Example.org>"), people->statements().front().person);
  EXPECT_NE(names.person_of("<u06@example.org>"), people->statements().front().person);
}

}  // namespace
}  // namespace shingled::milter::reports
