#include "milter/reports/support.h"

#include <gtest/gtest.h>

namespace shingled::milter::reports {
namespace {

using storage::sqlite::ReportedHash;
using storage::sqlite::ReporterRow;
using storage::sqlite::ReportKind;
using storage::sqlite::Supporter;

constexpr std::int64_t kNow = 1'000'000;
constexpr std::int64_t kLongAgo = kNow - kEstablishedSeconds - 1;

ReporterRow row(std::uint64_t name, std::uint64_t agreed = 0, std::uint64_t disagreed = 0,
                std::int64_t first = kLongAgo) {
  return {name, agreed + disagreed, agreed, disagreed, first, kNow};
}

std::vector<Supporter> of_spam(std::vector<ReporterRow> rows) {
  std::vector<Supporter> out;
  for (const ReporterRow& one : rows) out.push_back({one, ReportKind::kSpam});
  return out;
}

TEST(Support, ReputationGoesByWhatOthersSaid) {
  EXPECT_DOUBLE_EQ(reputation(row(1)), 0.5);
  EXPECT_DOUBLE_EQ(reputation(row(1, 8)), 0.9);
  EXPECT_DOUBLE_EQ(reputation(row(1, 0, 8)), 0.1);
  const Electorate voters{.trusted_weight = 3, .trusted = {7}, .now = kNow};
  EXPECT_EQ(voice_of(row(1), voters), 1000);
  EXPECT_EQ(voice_of(row(1, 1000), voters), 1000) << "never more than one";
  EXPECT_EQ(voice_of(row(1, 0, 8), voters), 200);
  EXPECT_EQ(voice_of(row(7, 0, 8), voters), 3000) << "trusted, whoever contradicts";
}

TEST(Support, NobodyIsEstablishedWithoutTimeAndAgreement) {
  const Electorate voters{.trusted = {7}, .now = kNow};
  EXPECT_EQ(standing_of(row(1, 3), voters), Standing::kEstablished);
  EXPECT_EQ(standing_of(row(1, 2), voters), Standing::kNewcomer);
  EXPECT_EQ(standing_of(row(1, 3, 3), voters), Standing::kNewcomer);
  EXPECT_EQ(standing_of(row(1, 3, 0, kNow - 60), voters), Standing::kNewcomer);
  EXPECT_EQ(standing_of(row(7), voters), Standing::kTrusted);
}

TEST(Support, WeightNeedsDifferentReporters) {
  const ReportedHash hash{.flag = 11, .per_spam = 1, .per_ham = -1};
  const Electorate voters{.reporters_min = 2, .trusted_weight = 4, .trusted = {7}, .now = kNow};
  const auto weight = [&](const std::vector<Supporter>& who) {
    return wanted_weight(hash, who, voters);
  };
  EXPECT_EQ(weight({}), 0);
  EXPECT_EQ(weight(of_spam({row(1)})), 0) << "kept aside";
  EXPECT_EQ(weight(of_spam({row(1, 1000)})), 0) << "one alone, however well known";
  EXPECT_EQ(weight(of_spam({row(1), row(2)})), 2);
  EXPECT_EQ(weight(of_spam({row(1, 0, 1), row(2)})), 0) << "one of them was contradicted before";
  EXPECT_EQ(weight(of_spam({row(1, 0, 1), row(2), row(3)})), 2);
  EXPECT_EQ(weight(of_spam({row(7)})), 4) << "a trusted one counts at once, as several";
  EXPECT_EQ(weight(of_spam({row(1), row(7)})), 5);
}

TEST(Support, ManyNewcomersCountLittle) {
  const ReportedHash hash{.flag = 11, .per_spam = 1, .per_ham = -1};
  const Electorate voters{.reporters_min = 2, .trusted = {}, .now = kNow};
  std::vector<ReporterRow> rows;
  for (std::uint64_t i = 0; i < 10'000; ++i) rows.push_back(row(i + 10));
  std::vector<Supporter> crowd = of_spam(rows);
  EXPECT_EQ(wanted_weight(hash, crowd, voters), kNewcomersMax);
  EXPECT_EQ(newcomers_among(crowd, voters), 10'000);
  crowd.push_back({row(1, 5), ReportKind::kSpam});
  crowd.push_back({row(2, 5), ReportKind::kSpam});
  EXPECT_EQ(wanted_weight(hash, crowd, voters), kNewcomersMax + 2);
}

TEST(Support, WantedMailTakesBackAndIsPutOnItsOwnList) {
  const Electorate voters{.reporters_min = 2, .trusted = {}, .now = kNow};
  std::vector<Supporter> who = of_spam({row(1), row(2), row(3)});
  who.push_back({row(4), ReportKind::kHam});
  EXPECT_EQ(wanted_weight({.flag = 11, .per_spam = 1, .per_ham = -1}, who, voters), 2);
  EXPECT_EQ(wanted_weight({.flag = 11, .per_spam = 1, .per_ham = -9}, who, voters), 0);
  EXPECT_EQ(wanted_weight({.flag = 13, .per_spam = 0, .per_ham = 1}, who, voters), 0)
      << "one alone puts nothing on a list";
  who.push_back({row(5), ReportKind::kHam});
  EXPECT_EQ(wanted_weight({.flag = 13, .per_spam = 0, .per_ham = 1}, who, voters), 2);
}

TEST(Support, TheMajorityNamesAMessage) {
  const Electorate voters{.reporters_min = 2, .trusted = {7, 8}, .now = kNow};
  const auto of = [&](std::vector<std::uint64_t> spam, std::vector<std::uint64_t> ham) {
    std::vector<Supporter> who;
    for (const std::uint64_t name : spam) who.push_back({row(name), ReportKind::kSpam});
    for (const std::uint64_t name : ham) who.push_back({row(name), ReportKind::kHam});
    return majority_of(who, voters);
  };
  EXPECT_EQ(of({}, {}), std::nullopt);
  EXPECT_EQ(of({1}, {}), ReportKind::kSpam);
  EXPECT_EQ(of({1}, {2}), std::nullopt) << "a tie";
  EXPECT_EQ(of({1}, {2, 3}), ReportKind::kHam);
  EXPECT_EQ(of({1, 2, 3, 4}, {7}), ReportKind::kHam) << "a trusted one decides";
  EXPECT_EQ(of({1, 8}, {7}), ReportKind::kSpam) << "they are divided";
  EXPECT_EQ(of({1, 2, 3, 4, 5}, {10, 11, 12}), std::nullopt) << "a crowd of newcomers is bounded";
}

}  // namespace
}  // namespace shingled::milter::reports
