// Covers ReporterRates of milter/reports/report_desk_open.h.
#include <gtest/gtest.h>

#include "milter/reports/report_desk_open.h"

namespace shingled::milter::reports {
namespace {

using std::chrono::minutes;

constexpr BucketRate kRate = {3, 3.0 / 3600};

TEST(ReporterRates, BoundEachPersonApart) {
  ReporterRates rates;
  const TimePoint now = TimePoint{} + std::chrono::hours(1);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(rates.is_too_many(1, kRate, now));
  EXPECT_TRUE(rates.is_too_many(1, kRate, now));
  EXPECT_FALSE(rates.is_too_many(2, kRate, now)) << "somebody else";
  EXPECT_FALSE(rates.is_too_many(1, kRate, now + minutes(21))) << "one more after a third";
  EXPECT_TRUE(rates.is_too_many(1, kRate, now + minutes(21)));
  EXPECT_FALSE(rates.is_too_many(1, {}, now)) << "no limit";
}

TEST(ReporterRates, AReportThatWasNotTakenDoesNotCount) {
  ReporterRates rates;
  const TimePoint now = TimePoint{} + std::chrono::hours(1);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(rates.is_too_many(1, kRate, now));
    rates.take_back(1, kRate, now);
  }
}

TEST(ReporterRates, ForgetsThoseWhoReportNothing) {
  ReporterRates rates;
  TimePoint now = TimePoint{} + std::chrono::hours(1);
  for (std::uint64_t person = 0; person < ReporterRates::kPeopleMax; ++person)
    ASSERT_FALSE(rates.is_too_many(person, kRate, now));
  const std::uint64_t late = ReporterRates::kPeopleMax + 5;
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(rates.is_too_many(late, kRate, now)) << "no room";
  now += std::chrono::hours(2);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(rates.is_too_many(late, kRate, now));
  EXPECT_TRUE(rates.is_too_many(late, kRate, now)) << "the others were forgotten";
}

}  // namespace
}  // namespace shingled::milter::reports
