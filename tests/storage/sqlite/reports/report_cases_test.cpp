// Covers storage/sqlite/reports/report_cases.cpp, and what storage/sqlite/reports/report_table.cpp
// makes of cases.
#include <gtest/gtest.h>

#include <algorithm>

#include "storage/sqlite/reports/report_table.h"
#include "tests/storage/sqlite/reports/report_rows.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

TEST(ReportCases, OfOnePersonTheLastWordCountsWhateverTheClockSays) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  ReportRow first = of_hash(1, 2, 1, 5);
  first.time = 900;
  ASSERT_TRUE(table->add(first, one_a_supporter));
  ReportRow second = of_hash(2, 2, 2, 5, ReportKind::kHam);
  second.time = 100;  // the clock was set back
  std::vector<Supporter> people;
  ASSERT_TRUE(table->add(second, [&](const ReportedHash& hash, std::span<const Supporter> who) {
    people.assign(who.begin(), who.end());
    return one_a_supporter(hash, who);
  }));
  ASSERT_EQ(people.size(), 1U) << "he counts once in the case";
  EXPECT_EQ(people[0].kind, ReportKind::kHam);
}

TEST(ReportCases, WhatNoReportHasAnyMoreIsNotTaught) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  auto outcome = table->add(of_hash(1, 2, 1, 5), one_a_supporter);
  ASSERT_TRUE(outcome && table->finish(outcome->changes));
  // The same message, now with a hash that matches the first one.
  outcome = table->add(of_hash(1, 2, 2, 5, ReportKind::kHam), one_a_supporter);
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->changes.size(), 2U);
  EXPECT_EQ(outcome->changes[0].wanted + outcome->changes[1].wanted, 1);
  ASSERT_TRUE(table->finish(outcome->changes));
  EXPECT_FALSE(table->find_case("0100")->has_value()) << "it is gone";
  EXPECT_TRUE(table->find_case("0200")->has_value());
}

TEST(ReportCases, RulingsHoldUntilTheNextOne) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  const auto closed = [&](const ReportRow& report) {
    std::optional<bool> out;
    const auto done =
        table->add(report, [&](const ReportedHash& hash, std::span<const Supporter> who) {
          if (hash.fingerprint.digest == report.hashes[0].fingerprint.digest) out = hash.closed;
          return one_a_supporter(hash, who);
        });
    EXPECT_TRUE(done && table->finish(done->changes));
    return out;
  };
  EXPECT_EQ(closed(of_hash(1, 2, 1, 5)), false);
  ReportRow ruling = of_hash(2, 3, 1, 5, ReportKind::kHam);
  ruling.ruling = Ruling::kCloses;
  EXPECT_EQ(closed(ruling), true);
  EXPECT_EQ(closed(of_hash(3, 4, 2, 5)), true) << "it matches one that is closed";
  EXPECT_EQ(closed(of_hash(4, 4, 3, 6)), false) << "another one";
  ruling = of_hash(5, 3, 2, 5);
  ruling.ruling = Ruling::kReopens;
  EXPECT_EQ(closed(ruling), false) << "with what it matches";
  EXPECT_EQ(closed(of_hash(6, 5, 1, 5)), false);
  ruling.kind = ReportKind::kSpam;
  ruling.ruling = Ruling::kCloses;
  EXPECT_EQ(closed(ruling), true) << "also by who said the same before";
}

TEST(ReportCases, WithdrawsACaseAndRemembersWhoSaidIt) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  for (std::uint64_t who = 1; who <= 3; ++who) {
    const auto outcome =
        table->add(of_hash(who, who, static_cast<std::uint8_t>(who), 5), one_a_supporter);
    ASSERT_TRUE(outcome && table->finish(outcome->changes));
  }
  const auto other = table->add(of_hash(9, 1, 9, 6), one_a_supporter);
  ASSERT_TRUE(other && table->finish(other->changes));
  Digest digest;
  digest.bytes[0] = 2;
  EXPECT_EQ(table->withdraw({&digest, 1}, 12, one_a_supporter)->people, 0U) << "another list";
  const auto withdrawn = table->withdraw({&digest, 1}, 11, one_a_supporter);
  ASSERT_TRUE(withdrawn);
  EXPECT_EQ(withdrawn->people, 3U);
  ASSERT_EQ(withdrawn->changes.size(), 3U);
  for (const HashChange& change : withdrawn->changes) EXPECT_EQ(change.wanted, 0);
  ASSERT_TRUE(table->finish(withdrawn->changes));
  EXPECT_EQ(table->cases(0, 10)->size(), 1U) << "the other one";
  EXPECT_EQ(table->add(of_hash(1, 1, 1, 5), one_a_supporter)->what, What::kSame);
  const auto next = table->add(of_hash(4, 1, 4, 5), one_a_supporter);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->changes.at(0).wanted, 1) << "it begins with nothing";
}

TEST(ReportCases, ALargeCaseIsBounded) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  for (std::uint64_t who = 1; who <= 120; ++who) {
    ReportRow report = of_hash(who, who, static_cast<std::uint8_t>(who), 5);
    report.hashes[0].fingerprint.digest.bytes[1] = static_cast<std::uint8_t>(who >> 8U);
    const auto outcome = table->add(report, one_a_supporter);
    ASSERT_TRUE(outcome && table->finish(outcome->changes));
    ASSERT_EQ(outcome->changes.size(), std::min<std::size_t>(who, ReportTable::kWeighedMax + 1));
  }
  const auto all = table->cases(0, 10);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front().people.size(), 120U);
  // What falls, falls everywhere.
  const auto none = table->add(of_hash(1, 999, 1, 5, ReportKind::kHam),
                               [](const auto& /*hash*/, auto /*people*/) -> Result<WantedWeight> {
                                 return WantedWeight{0, 7};
                               });
  ASSERT_TRUE(none);
  EXPECT_EQ(none->changes.size(), 120U) << "not only the newest";
}

TEST(ReportCases, CasesAreNamedByDigests) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("r.db"));
  ASSERT_TRUE(table->add(of_hash(1, 1, 0xab, 5), one_a_supporter));
  ReportRow second = of_hash(2, 2, 0xab, 6);
  second.hashes[0].fingerprint.digest.bytes[2] = 7;
  ASSERT_TRUE(table->add(second, one_a_supporter));
  EXPECT_EQ(table->find_case("ab00").error().code, ErrorCode::kInvalid) << "two begin so";
  EXPECT_TRUE(table->find_case("ab0007")->has_value());
  EXPECT_FALSE(table->find_case("AC00")->has_value());
  for (const char* bad : {"", "ab0", "ab0x", "zzzz"})
    EXPECT_EQ(table->find_case(bad).error().code, ErrorCode::kInvalid) << bad;
  EXPECT_EQ(table->cases(0, 1)->size(), 1U) << "at most one";
  EXPECT_TRUE(table->cases(101, 10)->empty()) << "none is so new";
}

}  // namespace
}  // namespace shingled::storage::sqlite
