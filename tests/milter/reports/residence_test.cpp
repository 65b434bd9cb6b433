#include "milter/reports/residence.h"

#include <gtest/gtest.h>

#include "storage/counters/addition.h"
#include "tests/support/fake_counters.h"

namespace shingled::milter::reports {
namespace {

using storage::counters::Day;
using storage::counters::Entry;
using storage::counters::kSlotsPerDay;
using storage::counters::Measure;
using storage::counters::Period;

constexpr Day kToday = 20'000;

Entry on_day(Day day, Measure measure = Measure::kHam) {
  Entry entry{{Period::Unit::kDay, day}, {}};
  entry.amounts.of(measure) = 3;
  return entry;
}

Entry in_slot(Day day, std::uint32_t slot) {
  Entry entry{{Period::Unit::kSlot, day * kSlotsPerDay + slot}, {}};
  entry.amounts.of(Measure::kHam) = 1;
  return entry;
}

TEST(Residence, WantedMailOnFiveDaysOfTheLastFortnight) {
  const auto resident = [](const std::vector<Entry>& entries) {
    return is_resident(entries, kToday);
  };
  EXPECT_FALSE(resident({})) << "a name that somebody made up";
  std::vector<Entry> days;
  for (Day day = kToday - 13; day < kToday - 9; ++day) days.push_back(on_day(day));
  EXPECT_FALSE(resident(days)) << "four";
  days.push_back(on_day(kToday - 14));
  EXPECT_FALSE(resident(days)) << "one of them is too long ago";
  days.push_back(on_day(kToday - 5, Measure::kSpam));
  EXPECT_FALSE(resident(days)) << "spam is not wanted mail";
  days.push_back(in_slot(kToday, 0));
  EXPECT_TRUE(resident(days)) << "five, with today";
  std::vector<Entry> busy;
  for (std::uint32_t slot = 0; slot < 100; ++slot) busy.push_back(in_slot(kToday - 1, slot));
  EXPECT_FALSE(resident(busy)) << "much on one day";
  EXPECT_FALSE(resident({on_day(kToday + 1), on_day(kToday + 2), on_day(kToday + 3),
                         on_day(kToday + 4), on_day(kToday + 5)}))
      << "of a clock that was wrong";
}

TEST(Residence, AsksOnceADay) {
  testing::FakeCounters counters;
  counters.set_present(kToday * kSlotsPerDay);
  const CounterKeyBytes site{5};
  const auto key = storage::counters::counter_of(site, storage::counters::Direction::kIn,
                                                 PieceType::kRecipient, "ann@example.org");
  std::vector<Entry> days;
  for (Day day = kToday - 4; day <= kToday; ++day) days.push_back(on_day(day));
  Residence residence;
  const std::vector<std::string> ann = {"ann@example.org"};
  const auto ask = [&] { return residence.ask(counters, site, ann, TimePoint{}); };
  EXPECT_EQ(ask(), false);
  counters.set_series(key, days);
  EXPECT_EQ(ask(), false) << "until tomorrow";
  EXPECT_EQ(counters.questions(), 1U);
  counters.set_present((kToday + 1) * kSlotsPerDay);
  EXPECT_EQ(ask(), true);
  counters.set_present((kToday + 2) * kSlotsPerDay);
  counters.fail(true);
  EXPECT_EQ(ask(), std::nullopt) << "nobody knows";
  counters.fail(false);
  const std::vector<std::string> bare = {"ann"};
  EXPECT_EQ(residence.ask(counters, site, bare, TimePoint{}), false) << "no address";
  const std::vector<std::string> aliased = {"ann@example.org", "u05@example.org"};
  EXPECT_EQ(residence.ask(counters, site, aliased, TimePoint{}), true)
      << "mail to another name of the mailbox";
}

}  // namespace
}  // namespace shingled::milter::reports
