#include "storage/counters/counter.h"

#include <gtest/gtest.h>

#include <string>

namespace shingled::storage::counters {
namespace {

TEST(CountName, IsTheOneOfTheDocument) {
  const CounterKey key{0x5791f8cac2b7d8dd, PieceType::kFrom, Direction::kIn};
  EXPECT_EQ(to_string(CountName{key, Measure::kMass, {Period::Unit::kSlot, 2'831'519}}),
            "mass_in_5791f8cac2b7d8dd_14_10m_2831519");
  EXPECT_EQ(to_string(CountName{key, Measure::kMass, {Period::Unit::kDay, 19'663}}),
            "mass_in_5791f8cac2b7d8dd_14_1d_19663");
}

TEST(CountName, IsReadAsItWasWritten) {
  for (const Direction direction : {Direction::kIn, Direction::kOut})
    for (const Period::Unit unit : {Period::Unit::kSlot, Period::Unit::kDay})
      for (std::size_t measure = 0; measure < kMeasures; ++measure)
        for (const PieceTypeRow& row : piece_types()) {
          const CountName name{
              {0xabcULL * measure, row.type, direction}, static_cast<Measure>(measure), {unit, 7}};
          EXPECT_EQ(parse_count_name(to_string(name)), name) << to_string(name);
        }
}

TEST(CountName, RefusesOtherTexts) {
  const char* const kWrong[] = {
      "",
      "mass",
      "mass_in_5791f8cac2b7d8dd_14_10m_",
      "mass_in_5791f8cac2b7d8dd_14_10m_2831519 ",
      "mass_in_5791f8cac2b7d8dd_14_10m_2831519_1",
      "mass_in_5791f8cac2b7d8dd_14_10m_02831519",
      "mass_in_5791f8cac2b7d8dd_14_10m_4294967296",
      "mass_in_5791f8cac2b7d8dd_14_1h_2831519",
      "mass_in_5791f8cac2b7d8dd_99_10m_2831519",
      "mass_in_5791f8cac2b7d8dd_300_10m_2831519",
      "mass_in_5791F8CAC2B7D8DD_14_10m_2831519",
      "mass_in_791f8cac2b7d8dd_14_10m_2831519",
      "mass_in_+791f8cac2b7d8dd_14_10m_2831519",
      "mass_up_5791f8cac2b7d8dd_14_10m_2831519",
      "weight_in_5791f8cac2b7d8dd_14_10m_2831519",
  };
  for (const char* text : kWrong) EXPECT_EQ(parse_count_name(text), std::nullopt) << text;
}

TEST(Amounts, StayAtTheLargestCount) {
  Amounts sum;
  sum.of(Measure::kMass) = kCountMax - 1;
  Amounts more;
  more.of(Measure::kMass) = 1;
  sum += more;
  EXPECT_EQ(sum.of(Measure::kMass), kCountMax);
  sum += sum;
  EXPECT_EQ(sum.of(Measure::kMass), kCountMax);
}

TEST(Slot, IsTenMinutesOfUnixTime) {
  EXPECT_EQ(slot_of(WallTime(std::chrono::seconds(599))), 0U);
  EXPECT_EQ(slot_of(WallTime(std::chrono::seconds(600))), 1U);
  EXPECT_EQ(slot_of(WallTime(std::chrono::seconds(-1))), 0U);
  EXPECT_EQ(slot_of(WallTime(std::chrono::seconds(1'698'911'400))), 2'831'519U);
  EXPECT_EQ(day_of(2'831'519), 19'663U);
}

TEST(CounterKey, IsOrderedByShingleThenTypeThenDirection) {
  const CounterKey first{1, PieceType::kImage, Direction::kOut};
  const CounterKey second{2, PieceType::kText, Direction::kIn};
  const CounterKey third{2, PieceType::kText, Direction::kOut};
  const CounterKey fourth{2, PieceType::kRobustText, Direction::kIn};
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_LT(third, fourth);
  EXPECT_EQ(CounterKey::of(third.shingle, third.tag()), third);
}

}  // namespace
}  // namespace shingled::storage::counters
