// Covers storage/counters/sealed/row_code.cpp, storage/counters/sealed/prefix_code.h.
#include "storage/counters/sealed/row_code.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace shingled::storage::counters {
namespace {

TEST(BitStream, ReadsWhatWasWritten) {
  std::mt19937_64 random(3);
  struct Number {
    int code;
    std::uint64_t value;
    unsigned width;
  };
  std::vector<Number> numbers;
  Bytes bytes;
  BitWriter out(bytes);
  for (int i = 0; i < 5000; ++i) {
    const auto width = static_cast<unsigned>(random() % 64);
    const std::uint64_t value = width == 0 ? 0 : random() >> (64 - width);
    Number number{static_cast<int>(random() % 3), value, width};
    if (number.code == 0) out.fixed(value, width);
    if (number.code == 1) {
      number.value = value | 1;
      out.gamma(number.value);
    }
    if (number.code == 2) {
      number.width = width > 8 ? width - 8 : 0;
      out.rice(value, number.width);
      if (width <= 8) number.width = 0;
    }
    numbers.push_back(number);
  }
  out.finish();
  BitReader in(bytes);
  for (const Number& number : numbers) {
    std::uint64_t value = 0;
    if (number.code == 0) value = in.fixed(number.width);
    if (number.code == 1) value = in.gamma();
    if (number.code == 2) value = in.rice(number.width);
    ASSERT_EQ(value, number.value) << number.code << ' ' << number.width;
    ASSERT_TRUE(in.ok());
  }
}

TEST(BitStream, EndsAtTheEndOfDamagedBytes) {
  for (const std::size_t size : {0U, 1U, 7U, 8U, 100U}) {
    const Bytes zeros(size);
    BitReader in(zeros);
    in.gamma();
    EXPECT_FALSE(in.ok()) << size;
    in.rice(60);
    in.fixed(64);
    EXPECT_FALSE(in.ok()) << size;
  }
}

Amounts any_amounts(std::mt19937_64& random) {
  Amounts amounts;
  for (std::uint64_t& count : amounts.counts)
    if (random() % 2 == 0) count = random() >> (1 + random() % 63);
  if (random() % 2 == 0) amounts.of(Measure::kMass) = random() % 3;
  if (random() % 2 == 0) amounts.of(Measure::kRecipients) = random() % 3;
  if (random() % 2 == 0)
    for (std::size_t i = 3; i < kMeasures; ++i) amounts.counts[i] = 0;
  if (random() % 3 == 0) amounts.of(Measure::kSpam) = amounts.of(Measure::kMass);
  if (random() % 3 == 0) amounts.of(Measure::kHam) = amounts.of(Measure::kMass);
  if (random() % 3 == 0) amounts.of(Measure::kBytes) = 0;
  return amounts;
}

/// A code made for some rows of a few entries.
RowCode any_code(const PeriodRange& range, std::mt19937_64& random, std::size_t rows) {
  std::vector<Row> sample;
  for (std::size_t i = 0; i < rows; ++i)
    sample.push_back({{random(), PieceType::kLink},
                      {{{Period::Unit::kSlot, range.slot_first}, any_amounts(random)}}});
  return {range, RowCode::codes_for(range, sample)};
}

TEST(RowCode, ReadsTheAmountsThatWereWritten) {
  std::mt19937_64 random(5);
  PeriodRange range;
  range.include({Period::Unit::kSlot, 9});
  for (int i = 0; i < 20'000; ++i) {
    const RowCode code = any_code(range, random, random() % 4);  // also codes without most heads
    const Amounts amounts = any_amounts(random);
    Bytes bytes;
    BitWriter out(bytes);
    code.write_amounts(amounts, out);
    out.fixed(5, 3);
    out.finish();
    BitReader in(bytes);
    ASSERT_EQ(code.read_amounts(in), amounts);
    ASSERT_EQ(in.fixed(3), 5U);
    ASSERT_TRUE(in.ok());
  }
}

TEST(RowCode, ReadsTheEntriesThatWereWritten) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 2000; ++i) {
    std::vector<Entry> entries;
    PeriodRange range;
    const std::uint64_t periods = i % 3 == 0 ? 100'000 : 1 + random() % 300;
    for (std::uint64_t count = 1 + random() % (i % 2 == 0 ? 9 : 200); count > 0; --count) {
      const Period period{random() % 2 == 0 ? Period::Unit::kSlot : Period::Unit::kDay,
                          static_cast<std::uint32_t>(20'000 + random() % periods)};
      range.include(period);
      add_entry(entries, {period, any_amounts(random)});
    }
    if (!range.has_slots) continue;
    const RowCode code = any_code(range, random, 100);
    if (range.is_one_slot()) {
      ASSERT_EQ(entries.size(), 1U);
    }
    Bytes bytes;
    BitWriter out(bytes);
    code.write(entries, out);
    code.write_tag(77, out);
    code.write(entries, out);
    out.finish();
    BitReader in(bytes);
    code.skip(in);
    ASSERT_EQ(code.read_tag(in), 77U);
    std::vector<Entry> got;
    code.read(in, [&](const Period& period, const Amounts& amounts) {
      got.push_back({period, amounts});
    });
    ASSERT_EQ(got, entries);
    ASSERT_TRUE(in.ok());
  }
}

TEST(RowCode, CounterOfEveryPeriodTakesTwoBitsForEach) {
  PeriodRange range;
  std::vector<Entry> entries;
  Amounts one;
  one.of(Measure::kMass) = 1;
  for (Slot slot = 1000; slot < 1144; ++slot) {
    entries.push_back({{Period::Unit::kSlot, slot}, one});
    range.include(entries.back().period);
  }
  const RowCode code(range,
                     RowCode::codes_for(range, std::vector<Row>{{{1, PieceType::kFrom}, entries}}));
  Bytes bytes;
  BitWriter out(bytes);
  code.write(entries, out);
  out.finish();
  EXPECT_LT(bytes.size(), 144U * 2 / 8 + 4);
}

TEST(RowCode, OneMessageOfTenMinutesTakesLessThanThreeBytes) {
  PeriodRange range;
  range.include({Period::Unit::kSlot, 9});
  Amounts amounts;
  amounts.of(Measure::kMass) = 1;
  amounts.of(Measure::kRecipients) = 1;
  amounts.of(Measure::kHam) = 1;
  amounts.of(Measure::kBytes) = 20'000;
  Bytes bytes;
  BitWriter out(bytes);
  const std::vector<Entry> entries = {{{Period::Unit::kSlot, 9}, amounts}};
  const std::vector<Row> rows = {{{1, PieceType::kFrom}, entries}};
  RowCode(range, RowCode::codes_for(range, rows)).write(entries, out);
  out.finish();
  EXPECT_LE(bytes.size(), 3U);
}

TEST(PeriodRange, CoversTheDaysOfItsSlots) {
  PeriodRange range;
  EXPECT_FALSE(range.covers_day(0));
  range.include({Period::Unit::kSlot, 144 * 5 + 143});
  EXPECT_TRUE(range.is_one_slot());
  range.include({Period::Unit::kSlot, 144 * 6});
  EXPECT_FALSE(range.is_one_slot());
  EXPECT_FALSE(range.covers_day(4));
  EXPECT_TRUE(range.covers_day(5));
  EXPECT_TRUE(range.covers_day(6));
  EXPECT_FALSE(range.covers_day(7));
  range.include({Period::Unit::kDay, 2});
  EXPECT_TRUE(range.covers_day(2));
  EXPECT_FALSE(range.covers_day(3));
}

}  // namespace
}  // namespace shingled::storage::counters
