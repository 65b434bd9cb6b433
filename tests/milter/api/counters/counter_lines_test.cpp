#include "milter/api/counters/counter_lines.h"

#include <gtest/gtest.h>

namespace shingled::milter::api {
namespace {

using storage::counters::Amounts;
using storage::counters::CounterSeries;
using storage::counters::Entry;
using storage::counters::Measure;
using storage::counters::Period;

constexpr storage::counters::Day kDay = 19'663;
constexpr storage::counters::Slot kNow = kDay * 144 + 100;

Amounts amounts(std::uint64_t mass, std::uint64_t recipients = 0) {
  Amounts out;
  out.of(Measure::kMass) = mass;
  out.of(Measure::kRecipients) = recipients;
  return out;
}
Entry slot(std::uint32_t number, const Amounts& what) {
  return {{Period::Unit::kSlot, number}, what};
}
Entry day(std::uint32_t number, const Amounts& what) {
  return {{Period::Unit::kDay, number}, what};
}

std::string lines_of(const CounterSeries& series) {
  std::string out;
  append_count_lines(series, out);
  return out;
}
std::string line(const std::string& name, const std::string& count) {
  return R"({"name":")" + name + R"(","count":)" + count + "}\n";
}

const CounterSeries kFrom = {{0x5791f8cac2b7d8dd, PieceType::kFrom},
                             {slot(kNow - 100, amounts(1)), slot(kNow, amounts(2, 3)),
                              day(kDay - 1, amounts(9)), day(kDay, amounts(4))}};

TEST(CounterLines, HaveTheNamesOfTheDocumentAndWholeDays) {
  EXPECT_EQ(lines_of(kFrom), line("mass_in_5791f8cac2b7d8dd_14_10m_2831472", "1") +
                                 line("mass_in_5791f8cac2b7d8dd_14_10m_2831572", "2") +
                                 line("recipients_in_5791f8cac2b7d8dd_14_10m_2831572", "3") +
                                 line("mass_in_5791f8cac2b7d8dd_14_1d_19662", "9") +
                                 line("mass_in_5791f8cac2b7d8dd_14_1d_19663", "7") +
                                 line("recipients_in_5791f8cac2b7d8dd_14_1d_19663", "3"));
}

TEST(CounterLines, ComeBackAsTheyWere) {
  const CounterSeries unique = {
      {7, PieceType::kUniqueRecipients, storage::counters::Direction::kOut},
      {slot(kNow - 1, amounts(5, 4)), slot(kNow, amounts(6, 1)), day(kDay, amounts(2))}};
  EXPECT_NE(lines_of(unique).find(line("mass_out_0000000000000007_31_1d_19663", "7")),
            std::string::npos)
      << "4 and 1 were new on the day";
  const auto read = parse_count_lines(lines_of(kFrom) + lines_of(unique), kNow);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, (std::vector<CounterSeries>{kFrom, unique}));
}

TEST(CounterLines, LeaveOfTenMinutesThatAreTooOldTheDay) {
  const auto read = parse_count_lines(lines_of(kFrom), kNow + 144 - 50);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1U);
  EXPECT_EQ(read->front().entries,
            (std::vector<Entry>{slot(kNow, amounts(2, 3)), day(kDay - 1, amounts(9)),
                                day(kDay, amounts(5))}));
  const auto alone = parse_count_lines(line("mass_in_5791f8cac2b7d8dd_14_10m_100", "3"), kNow);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->front().entries, std::vector<Entry>{day(0, amounts(3))});
}

TEST(CounterLines, AreRefusedIfWrong) {
  const std::string good = line("mass_in_5791f8cac2b7d8dd_14_10m_2831572", "2");
  struct Case {
    const char* why;
    std::string text;
    const char* expected;
  };
  const Case cases[] = {
      {"not JSON", good + "x\n", "line 2: must be"},
      {"not a name", line("mass_5791", "1"), "line 1: must be"},
      {"negative", line("mass_in_5791f8cac2b7d8dd_14_1d_19663", "-1"), "line 1: must be"},
      {"too large", line("mass_in_5791f8cac2b7d8dd_14_1d_1", "9223372036854775808"), "line 1"},
      {"a fraction", line("mass_in_5791f8cac2b7d8dd_14_1d_1", "1.5"), "line 1: must be"},
      {"no count", "{\"name\":\"mass_in_5791f8cac2b7d8dd_14_1d_1\"}", "line 1: must be"},
      {"no name", "{\"count\":1}", "line 1: must be"},
      {"a count comes twice", "{\"count\":1,\"count\":1}", "line 1: must be"},
      {"another member", "{\"count\":1,\"x\":1}", "line 1: must be"},
      {"an object in it", "{\"count\":{\"count\":1}}", "line 1: must be"},
      {"deep", std::string(1'000'000, '['), "line 1: must be"},
      {"only a number", "5", "line 1: must be"},
      {"the same twice", good + good, "line 2: comes twice"},
      {"a counter in two places",
       good + line("mass_in_0000000000000001_14_1d_1", "1") + "\n" +
           line("mass_in_5791f8cac2b7d8dd_14_1d_1", "1"),
       "line 4: the lines of one counter"},
      {"a day with less than its parts", good + line("mass_in_5791f8cac2b7d8dd_14_1d_19663", "1"),
       "line 1: a day of this counter"},
  };
  for (const Case& test : cases) {
    const auto read = parse_count_lines(test.text, kNow);
    ASSERT_FALSE(read) << test.why;
    EXPECT_TRUE(read.error().message.starts_with(test.expected))
        << test.why << ": " << read.error().message;
  }
  EXPECT_TRUE(parse_count_lines("", kNow)->empty());
  EXPECT_EQ(parse_count_lines(good.substr(0, good.size() - 1), kNow)->size(), 1U);
}

}  // namespace
}  // namespace shingled::milter::api
