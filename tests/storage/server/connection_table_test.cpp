#include "storage/server/connection_table.h"

#include <gtest/gtest.h>

namespace shingled::storage::server {
namespace {

using Admission = ConnectionTable::Admission;

TEST(ConnectionTable, LimitsEachSourceAndTheTotal) {
  constexpr ConnectionTable::Limits kLimits{4, 2, 0};
  ConnectionTable table;
  struct Step {
    const char* why;
    const char* enters;
    const char* leaves;
    Admission verdict;
  };
  constexpr Step kSteps[] = {
      {"the first", "192.0.2.1", nullptr, Admission::kEntered},
      {"the second", "192.0.2.1", nullptr, Admission::kEntered},
      {"a third connection of one source", "192.0.2.1", nullptr, Admission::kSourceFull},
      {"its neighbour is another source", "192.0.2.2", nullptr, Admission::kEntered},
      {"a connection over IPv6", "2001:db8::1", nullptr, Admission::kEntered},
      {"a fifth connection", "192.0.2.3", nullptr, Admission::kFull},
      {"a place is free again", "2001:db8::ffff", "192.0.2.1", Admission::kEntered},
      {"a third connection of one /64", "2001:db8::2", "192.0.2.2", Admission::kSourceFull},
      {"the next /64", "2001:db8:0:1::1", nullptr, Admission::kEntered},
      {"all places are taken again", "192.0.2.3", nullptr, Admission::kFull},
  };
  for (const Step& step : kSteps) {
    if (step.leaves != nullptr) table.leave(*IpAddress::parse(step.leaves));
    EXPECT_EQ(table.enter({*IpAddress::parse(step.enters)}, kLimits), step.verdict) << step.why;
  }
  EXPECT_EQ(table.size(), 4U);
}

IpAddress ip(const char* text) { return *IpAddress::parse(text); }

TEST(ConnectionTable, KeepsPlacesForTrustedSources) {
  constexpr ConnectionTable::Limits kLimits{4, 4, 1};
  constexpr auto kTrusted = ConnectionTable::Trust::kTrusted;
  ConnectionTable table;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(table.enter({ip("192.0.2.1")}, kLimits), Admission::kEntered);
  }
  EXPECT_EQ(table.enter({ip("192.0.2.2")}, kLimits), Admission::kFull)
      << "the last place is reserved";
  EXPECT_EQ(table.enter({ip("198.51.100.1"), kTrusted}, kLimits), Admission::kEntered);
  EXPECT_EQ(table.enter({ip("198.51.100.2"), kTrusted}, kLimits), Admission::kFull);
  table.leave(ip("198.51.100.1"));
  EXPECT_EQ(table.enter({ip("192.0.2.2")}, kLimits), Admission::kFull)
      << "also when it is free again";
  table.leave(ip("192.0.2.1"));
  EXPECT_EQ(table.enter({ip("198.51.100.1"), kTrusted}, kLimits), Admission::kEntered);
  EXPECT_EQ(table.enter({ip("192.0.2.2")}, kLimits), Admission::kEntered)
      << "a trusted source takes none of the strangers' places while a reserved one is free";
}

TEST(ConnectionTable, TheSourceThatHoldsMostMakesRoom) {
  constexpr ConnectionTable::Limits kLimits{100, 100, 0};
  constexpr auto kTrusted = ConnectionTable::Trust::kTrusted;
  ConnectionTable table;
  const auto enter = [&](const ConnectionTable::Caller& caller, int count) {
    for (int i = 0; i < count; ++i) ASSERT_EQ(table.enter(caller, kLimits), Admission::kEntered);
  };
  enter({ip("192.0.2.1")}, 3);
  enter({ip("192.0.2.2")}, 5);
  enter({ip("198.51.100.1"), kTrusted}, 9);
  const std::vector<IpAddress> all{ip("198.51.100.1"), ip("192.0.2.1"), ip("192.0.2.2"),
                                   ip("192.0.2.2")};
  struct Case {
    const char* why;
    ConnectionTable::Caller caller;
    std::optional<std::size_t> picked;
  };
  const Case cases[] = {
      {"a stranger displaces the first connection of the stranger that holds most",
       {ip("192.0.2.9")},
       2},
      {"a stranger with one connection does, too", {ip("192.0.2.1")}, 2},
      {"the source that holds most displaces nobody", {ip("192.0.2.2")}, std::nullopt},
      {"a trusted source displaces anybody", {ip("198.51.100.9"), kTrusted}, 0},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(table.pick(one.caller, all), one.picked) << one.why;
    EXPECT_EQ(table.may_displace(one.caller), one.picked.has_value()) << one.why;
  }
  for (int i = 0; i < 4; ++i) table.leave(ip("192.0.2.2"));
  table.leave(ip("192.0.2.1"));
  EXPECT_TRUE(table.may_displace({ip("192.0.2.9")})) << "one source holds two";
  table.leave(ip("192.0.2.1"));
  EXPECT_FALSE(table.may_displace({ip("192.0.2.9")})) << "each source holds one";
}

TEST(ByteBudget, NeverExceedsItsLimit) {
  ByteBudget budget;
  EXPECT_TRUE(budget.take(60, 100));
  EXPECT_FALSE(budget.take(41, 100));
  EXPECT_EQ(budget.held(), 60U);
  EXPECT_TRUE(budget.take(40, 100));
  budget.give_back(50);
  EXPECT_FALSE(budget.take(1, 50)) << "a reload may have made the limit smaller";
  EXPECT_TRUE(budget.take(1, 51));
}

}  // namespace
}  // namespace shingled::storage::server
