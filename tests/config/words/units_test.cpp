#include "config/words/units.h"

#include <gtest/gtest.h>

namespace shingled::config {
namespace {

using std::chrono::milliseconds;

struct DurationCase {
  const char* why;
  const char* text;
  std::optional<std::int64_t> milliseconds;
};

constexpr DurationCase kDurations[] = {
    {"seconds", "60s", 60'000},
    {"days", "90d", 7'776'000'000},
    {"weeks", "2w", 1'209'600'000},
    {"milliseconds", "500ms", 500},
    {"minutes have a long name", "5min", 300'000},
    {"units add up", "1h30m", 5'400'000},
    {"all of them", "1w1d1h1m1s1ms", 694'861'001},
    {"zero needs no unit", "0", 0},
    {"nor minds one", "0s", 0},
    {"the longest", "9223372036854775807ms", 9'223'372'036'854'775'807},
    {"nobody knows the unit of a bare number", "90", std::nullopt},
    {"nor of the last one", "1h30", std::nullopt},
    {"a smaller unit first is a slip", "30m1h", std::nullopt},
    {"so is a unit twice", "1h1h", std::nullopt},
    {"m and min are one unit", "1m1min", std::nullopt},
    {"nothing", "", std::nullopt},
    {"a unit alone", "s", std::nullopt},
    {"a sign", "-1s", std::nullopt},
    {"a plus", "+1s", std::nullopt},
    {"a fraction", "1.5h", std::nullopt},
    {"a blank", "1 h", std::nullopt},
    {"an unknown unit", "1y", std::nullopt},
    {"units are lower case", "1H", std::nullopt},
    {"one more than fits", "9223372036854775808ms", std::nullopt},
    {"an overflow in the product", "9223372036854775807w", std::nullopt},
    {"an overflow in the sum", "9223372036854775s808ms", std::nullopt},
    {"more digits than any integer has", "99999999999999999999999s", std::nullopt},
};

TEST(Units, ReadDurations) {
  for (const DurationCase& test : kDurations) {
    SCOPED_TRACE(test.why);
    const auto duration = parse_duration(test.text);
    ASSERT_EQ(duration.has_value(), test.milliseconds.has_value()) << test.text;
    if (duration) {
      EXPECT_EQ(duration->count(), *test.milliseconds);
    }
  }
}

struct SizeCase {
  const char* why;
  const char* text;
  std::optional<std::uint64_t> bytes;
};

constexpr SizeCase kSizes[] = {
    {"bytes", "1000", 1000},
    {"kibibytes", "64K", 65'536},
    {"in either case", "64k", 65'536},
    {"mebibytes", "10M", 10'485'760},
    {"gibibytes", "2G", 2'147'483'648},
    {"tebibytes", "1T", 1'099'511'627'776},
    {"zero", "0", 0},
    {"the largest", "18446744073709551615", 18'446'744'073'709'551'615U},
    {"one more than fits", "18446744073709551616", std::nullopt},
    {"an overflow in the product", "18014398509481984K", std::nullopt},
    {"nothing", "", std::nullopt},
    {"a unit alone", "K", std::nullopt},
    {"a second letter", "1KB", std::nullopt},
    {"an unknown unit", "1X", std::nullopt},
    {"a fraction", "1.5M", std::nullopt},
    {"a sign", "-1", std::nullopt},
    {"a blank", "1 K", std::nullopt},
};

TEST(Units, ReadSizes) {
  for (const SizeCase& test : kSizes) {
    SCOPED_TRACE(test.why);
    EXPECT_EQ(parse_size(test.text), test.bytes) << test.text;
  }
}

TEST(Units, WriteTheShortestText) {
  EXPECT_EQ(format_duration(milliseconds(0)), "0");
  EXPECT_EQ(format_duration(std::chrono::hours(24 * 90)), "90d");
  EXPECT_EQ(format_duration(std::chrono::minutes(90)), "1h30m");
  EXPECT_EQ(format_duration(milliseconds(61'500)), "1m1s500ms");
  EXPECT_EQ(format_size(0), "0");
  EXPECT_EQ(format_size(1023), "1023");
  EXPECT_EQ(format_size(65'536), "64K");
  EXPECT_EQ(format_size(std::uint64_t{3} << 40), "3T");
  EXPECT_EQ(format_size((std::uint64_t{1} << 30) + 1024), "1048577K");
}

TEST(Units, WrittenTextReadsAsTheSameValue) {
  for (std::uint64_t value = 1; value < std::uint64_t{1} << 62; value = value * 3 + 1) {
    EXPECT_EQ(parse_size(format_size(value)), value);
    const milliseconds duration(static_cast<std::int64_t>(value));
    EXPECT_EQ(parse_duration(format_duration(duration)), duration);
  }
}

TEST(Units, ReadsRates) {
  using std::chrono::milliseconds;
  constexpr struct {
    std::string_view text;
    double amount;
    std::int64_t milliseconds;  // 0 = no rate
  } kCases[] = {
      {"5 / 1m", 5, 60'000}, {"100/1h", 100, 3'600'000},
      {"10 / s", 10, 1000},  {"1.5/30s", 1.5, 30'000},
      {"0/1s", 0, 1000},     {"7 /  2h30m", 7, 9'000'000},
      {"3/min", 3, 60'000},  {"", 0, 0},
      {"5", 0, 0},           {"5/", 0, 0},
      {"/1m", 0, 0},         {"5/0", 0, 0},
      {"5/0s", 0, 0},        {"-5/1m", 0, 0},
      {"5/1", 0, 0},         {"nan/1m", 0, 0},
      {"inf/1m", 0, 0},      {"5/1m/2", 0, 0},
      {"5x/1m", 0, 0},       {"5/-1m", 0, 0},
      {"5 1m", 0, 0},
  };
  for (const auto& c : kCases) {
    const auto rate = parse_rate(c.text);
    ASSERT_EQ(rate.has_value(), c.milliseconds != 0) << c.text;
    if (!rate) continue;
    EXPECT_EQ(*rate, (Rate{c.amount, milliseconds(c.milliseconds)})) << c.text;
  }
}

}  // namespace
}  // namespace shingled::config
