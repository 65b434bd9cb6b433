#include "storage/access/request_tally.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/support/seeded_random.h"

namespace shingled::storage::access {
namespace {

IpAddress ip(const char* text) { return *IpAddress::parse(text); }

/// The counts of a network; all zero if the network is not there.
RequestOutcomeCounts counts_of(const SourceTally::Reading& reading, const char* network) {
  for (const auto& entry : reading.entries) {
    if (entry.network == *Network::parse(network)) return entry.counts;
  }
  return {};
}

RequestOutcomeCounts all_of(const SourceTally::Reading& reading) {
  RequestOutcomeCounts sum = reading.other;
  for (const auto& entry : reading.entries) sum += entry.counts;
  return sum;
}

IpAddress numbered(std::uint32_t number) {
  IpAddress out;
  out.bytes = {11, static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number), 1};
  out.bytes[0] = static_cast<std::uint8_t>(11 + (number >> 16));
  return out;
}

struct Case {
  const char* why;
  const char* address;
  const char* network;
};
constexpr Case kCases[] = {
    {"IPv4 by /24", "192.0.2.77", "192.0.2.0/24"},
    {"the highest IPv4 network", "255.255.255.255", "255.255.255.0/24"},
    {"the address 0.0.0.0", "0.0.0.0", "0.0.0.0/24"},
    {"IPv6 by /64", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
    {"the first 64 bits of the loopback address are 0", "::1", "::/64"},
    {"an IPv6 network that ends with bits of an IPv4 network", "0:0:c000:200::1",
     "0:0:c000:200::/64"},
};

TEST(SourceTally, CountsByNetwork) {
  testing::SeededRandom random(1);
  SourceTally tally(random);
  for (const Case& c : kCases) {
    tally.count(ip(c.address), RequestOutcome::kMatched);
    tally.count(ip(c.address), RequestOutcome::kMatched);
    tally.count(ip(c.address), RequestOutcome::kRefused);
  }
  const auto reading = tally.read();
  EXPECT_EQ(reading.entries.size(), std::size(kCases));
  for (const Case& c : kCases) {
    const RequestOutcomeCounts counts = counts_of(reading, c.network);
    EXPECT_EQ(counts.of(RequestOutcome::kMatched), 2U) << c.why;
    EXPECT_EQ(counts.of(RequestOutcome::kRefused), 1U) << c.why;
    EXPECT_EQ(counts.sum(), 3U) << c.why;
  }
}

TEST(SourceTally, ForgedSourcesReplaceOnlyEachOther) {
  testing::SeededRandom random(2);
  SourceTally tally(random);
  constexpr std::uint32_t kForged = 100'000;
  for (std::uint32_t i = 0; i < kForged; ++i) {
    tally.count(numbered(i), RequestOutcome::kUnmatched);
    if (i % 100 == 0) tally.count(ip("192.0.2.1"), RequestOutcome::kMatched);
  }
  const auto reading = tally.read();
  EXPECT_LE(reading.entries.size(), SourceTally::kPlaces);
  EXPECT_EQ(counts_of(reading, "192.0.2.0/24").of(RequestOutcome::kMatched), kForged / 100)
      << "a hundredth of all requests, but more than an eighth of its part of the table";
  EXPECT_EQ(all_of(reading).of(RequestOutcome::kUnmatched), kForged) << "no request is lost";
}

TEST(SourceTally, CanBeReadWhilePlacesChangeOwners) {
  testing::SeededRandom random(3);
  SourceTally tally(random);
  std::atomic<bool> over{false};
  std::jthread reader([&] {
    while (!over) {
      for (const auto& entry : tally.read().entries) {
        // Even networks are refused and odd ones are not, so a mixture would come from two owners.
        const bool even = entry.network.address.bytes[2] % 2 == 0;
        ASSERT_EQ(entry.counts.of(even ? RequestOutcome::kMatched : RequestOutcome::kRefused), 0U);
      }
    }
  });
  constexpr std::uint32_t kRounds = 200'000;
  for (std::uint32_t i = 0; i < kRounds; ++i)
    tally.count(numbered(i), i % 2 == 0 ? RequestOutcome::kRefused : RequestOutcome::kMatched);
  over = true;
  reader.join();
  EXPECT_EQ(all_of(tally.read()).sum(), kRounds);
}

TEST(TallyReport, MergesWorkersAndReportsTheLargestNetworks) {
  testing::SeededRandom random(4);
  SourceTally one(random);
  SourceTally two(random);
  constexpr std::uint32_t kNetworks = 200;
  for (std::uint32_t i = 0; i < kNetworks; ++i) {
    one.count(numbered(i), RequestOutcome::kUnmatched);
    two.count(numbered(i), RequestOutcome::kUnmatched);
  }
  for (int i = 0; i < 5; ++i) two.count(ip("192.0.2.1"), RequestOutcome::kAdded);
  MetricReport report;
  report_sources({one.read(), two.read()}, report);
  const char* name = "shingled_server_source_requests";
  EXPECT_EQ(report.families().front().samples.size(), kSourcesTold + 1)
      << "and one sample for the others";
  EXPECT_EQ(report.total(name, {{"network", "192.0.2.0/24"}, {"result", "added"}}), 5);
  EXPECT_EQ(report.total(name, {{"result", "unmatched"}}), 2 * kNetworks);
  EXPECT_GT(report.total(name, {{"network", "other"}}), 0);
}

TEST(TallyReport, ReportsKeysByIdUpToTheLimit) {
  std::vector<KeyReading> keys;
  for (std::size_t i = 0; i < kKeysTold + 10; ++i) {
    KeyReading key{"id" + std::to_string(i), i == 0 ? "alice" : "", {}};
    key.counts.counts[0] = i == 0 ? 100 : 1;
    keys.push_back(key);
  }
  MetricReport report;
  report_keys(keys, report);
  const char* name = "shingled_server_key_requests";
  EXPECT_EQ(report.families().front().samples.size(), kKeysTold + 1);
  EXPECT_EQ(report.total(name, {{"key", "id0"}, {"name", "alice"}, {"result", "matched"}}), 100);
  EXPECT_EQ(report.total(name, {{"key", "other"}}), 10);
}

}  // namespace
}  // namespace shingled::storage::access
