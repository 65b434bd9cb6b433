#include "config/options/flag_map.h"

#include <gtest/gtest.h>

namespace shingled {
namespace {

TEST(FlagMap, FindsAListByNumberNameAndSymbol) {
  const FlagMap flags = FlagMap::standard();
  struct Case {
    const char* why;
    const char* text;
    std::optional<std::uint32_t> flag;
  };
  const Case cases[] = {
      {"its number", "11", 11},
      {"its name", "denied", 11},
      {"in any case", "DeNied", 11},
      {"its symbol", "fuzzy_white", 13},
      {"a number without a list", "200", 200},
      {"a number that no list can have", "256", std::nullopt},
      {"zero", "0", std::nullopt},
      {"an unknown name", "grey", std::nullopt},
      {"an empty text", "", std::nullopt},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.why);
    EXPECT_EQ(flags.number(test.text), test.flag);
  }
  ASSERT_NE(flags.find(12), nullptr);
  EXPECT_EQ(flags.find(12)->name, "prob");
  EXPECT_EQ(flags.find(200), nullptr);
  EXPECT_EQ(FlagMap().find("denied"), nullptr);
}

}  // namespace
}  // namespace shingled
