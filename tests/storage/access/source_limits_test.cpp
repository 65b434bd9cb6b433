#include "storage/access/source_limits.h"

#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

namespace shingled::storage::access {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr TimePoint kStart{hours(1)};

IpAddress ip(const char* text) { return *IpAddress::parse(text); }

RateLimitOptions five() {
  RateLimitOptions options;
  options.rate = 1;
  options.burst = 5;
  return options;
}

int admitted(const SourceLimits& limits, const char* address, TimePoint now = kStart) {
  int count = 0;
  while (count < 100 && limits.admit(ip(address), now)) ++count;
  return count;
}

TEST(SourceLimits, AreOffUnlessRateAndBurstAreSet) {
  for (const auto& [rate, burst] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {0.0, 5.0}}) {
    RateLimitOptions options;
    options.rate = rate;
    options.burst = burst;
    LimitState state;
    EXPECT_EQ(admitted(SourceLimits(options, state), "192.0.2.1"), 100);
    EXPECT_EQ(state.table, nullptr);
  }
  EXPECT_EQ(admitted(SourceLimits(), "192.0.2.1"), 100);
}

TEST(SourceLimits, CountByNetworkNotByAddress) {
  constexpr struct {
    const char* why;
    std::uint32_t mask;
    const char* first;
    const char* second;
    bool same;
  } kCases[] = {
      {"one /24", 24, "192.0.2.1", "192.0.2.254", true},
      {"two /24", 24, "192.0.2.1", "192.0.3.1", false},
      {"each address is a source", 32, "192.0.2.1", "192.0.2.2", false},
      {"one /25", 25, "192.0.2.1", "192.0.2.127", true},
      {"two /25", 25, "192.0.2.1", "192.0.2.128", false},
      {"one /8", 8, "10.0.0.1", "10.255.255.255", true},
      {"two /96 of one customer", 24, "2001:db8::1", "2001:db8::1:0:0", true},
      {"one /64", 8, "2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff", true},
      {"two /64", 24, "2001:db8::1", "2001:db8:0:1::1", false},
      {"two /64 of one /56", 8, "2001:db8::1", "2001:db8:0:1::1", false},
      {"addresses of one /64 are never sources", 32, "2001:db8::1", "2001:db8::2", true},
      {"mapped addresses are IPv4", 24, "::ffff:192.0.2.1", "192.0.2.9", true},
      {"IPv4 and IPv6 with the same bytes", 32, "1.0.0.0", "100::", false},
  };
  for (const auto& c : kCases) {
    RateLimitOptions options = five();
    options.network_mask = c.mask;
    LimitState state;
    const SourceLimits limits(options, state);
    EXPECT_EQ(admitted(limits, c.first), 5) << c.why;
    EXPECT_EQ(admitted(limits, c.second), c.same ? 0 : 5) << c.why;
  }
}

TEST(SourceLimits, ExemptLocalAndListedAddresses) {
  RateLimitOptions options = five();
  options.whitelist = {*Network::parse("198.51.100.0/24"), *Network::parse("2001:db8:1::/48")};
  LimitState state;
  const SourceLimits limits(options, state);
  for (const char* exempt : {"127.0.0.1", "127.255.0.9", "::1", "169.254.3.4", "fe80::1", "febf::1",
                             "198.51.100.77", "2001:db8:1:2::3"}) {
    EXPECT_EQ(admitted(limits, exempt), 100) << exempt;
  }
  for (const char* limited : {"128.0.0.1", "169.253.0.1", "fec0::1", "::2", "198.51.101.1"}) {
    EXPECT_EQ(admitted(limits, limited), 5) << limited;
  }
}

class LogLines final : public Logger {
 public:
  void write(LogLevel, std::string_view line) override { lines.emplace_back(line); }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  std::vector<std::string> lines;
};

TEST(SourceLimits, OnlyLogIfLogOnlyIsSet) {
  for (const bool log_only : {false, true}) {
    LogLines log;
    RateLimitOptions options = five();
    options.log_only = log_only;
    options.bucket_ttl = std::chrono::hours(1);
    LimitState state;
    state.report = std::make_shared<LimitReport>(log);
    const SourceLimits limits(options, state);
    int count = 0;
    for (int i = 0; i < 10; ++i) count += limits.admit(ip("192.0.2.1"), kStart) ? 1 : 0;
    EXPECT_EQ(count, log_only ? 10 : 5);
    EXPECT_EQ(state.report->refused(), 5U);
    EXPECT_EQ(state.report->bans(), 1U);
    EXPECT_THAT(log.lines, ElementsAre("fuzzy_ratelimited network=192.0.2.0/24 banned=true "
                                       "log_only=" +
                                       std::string(log_only ? "true" : "false") +
                                       " requests_in_all=1 bans_in_all=1"));
    (void)limits.admit(ip("192.0.2.1"), kStart + seconds(60));
    EXPECT_EQ(log.lines.size(), 2U) << "a second line after a minute";
  }
}

TEST(SourceLimits, KeepTheirCountsWhenTheRateChanges) {
  LimitState state;
  RateLimitOptions options = five();
  options.bucket_ttl = seconds(0);
  const SourceLimits before(options, state);
  EXPECT_EQ(admitted(before, "192.0.2.1"), 5);
  options.burst = 7;
  const SourceLimits after(options, state);
  EXPECT_EQ(admitted(after, "192.0.2.1"), 2);
  EXPECT_EQ(admitted(before, "192.0.2.1"), 0) << "a worker that still has the old limits";
  options.network_mask = 16;
  EXPECT_EQ(admitted(SourceLimits(options, state), "192.0.2.1"), 7)
      << "other networks need a new table";
}

TEST(SourceLimits, KeepTheirSizeAndBansInAFloodOfForgedSources) {
  RateLimitOptions options = five();
  LimitState state;
  const SourceLimits limits(options, state);
  const std::size_t places = state.table->places();
  EXPECT_EQ(admitted(limits, "192.0.2.1"), 5);
  std::mt19937 random(3);
  for (int i = 0; i < 100'000; ++i) {
    IpAddress forged;
    const auto bits =
        static_cast<std::uint32_t>(random() | 0x80000000U);  // of the exempt ones only link-local
    for (std::size_t b = 0; b < 4; ++b)
      forged.bytes[b] = static_cast<std::uint8_t>(bits >> (24 - 8 * b));
    (void)limits.admit(forged, kStart);
  }
  EXPECT_EQ(state.table->places(), places);
  EXPECT_FALSE(limits.admit(ip("192.0.2.1"), kStart)) << "a ban stays";
}

}  // namespace
}  // namespace shingled::storage::access
