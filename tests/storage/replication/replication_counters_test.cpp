#include "storage/replication/replication_counters.h"

#include <gtest/gtest.h>

namespace shingled::storage::replication {
namespace {

LinkCounters link(std::string peer, bool connected, std::uint64_t lag) {
  LinkCounters out;
  out.peer = std::move(peer);
  out.connected = connected;
  out.following = connected;
  out.lag_records = lag;
  out.lag_seconds = lag / 10;
  out.records = 100;
  return out;
}

TEST(ReplicationReport, ReportsEachPeerByItsName) {
  ReplicationCounters counters;
  counters.mirrors = {link("berlin", true, 0), link("tokyo", false, 70)};
  counters.masters = {link("192.0.2.1:40000", true, 30)};
  counters.refused = 2;
  MetricReport report;
  report_replication(counters, report);
  const MetricLabels tokyo = {{"role", "mirror"}, {"peer", "tokyo"}};
  EXPECT_EQ(report.total("shingled_replication_connected", tokyo), 0);
  EXPECT_EQ(report.total("shingled_replication_lag_records", tokyo), 70);
  EXPECT_EQ(report.total("shingled_replication_lag_seconds", tokyo), 7);
  const MetricLabels master = {{"role", "master"}, {"peer", "192.0.2.1"}};
  EXPECT_EQ(report.total("shingled_replication_following", master), 1);
  EXPECT_EQ(report.total("shingled_replication_lag_records", master), 30);
  EXPECT_EQ(report.total("shingled_replication_refused"), 2);
}

TEST(ReplicationReport, ConnectionsOfOneMasterAreOneSample) {
  ReplicationCounters counters;
  counters.masters = {link("192.0.2.1:40000", false, 90), link("192.0.2.1:40001", true, 10),
                      link("[2001:db8::1]:7", true, 5)};
  MetricReport report;
  report_replication(counters, report);
  ASSERT_EQ(report.families().front().samples.size(), 2U)
      << "two samples must not have the same labels";
  const MetricLabels twice = {{"role", "master"}, {"peer", "192.0.2.1"}};
  EXPECT_EQ(report.total("shingled_replication_connected", twice), 1);
  EXPECT_EQ(report.total("shingled_replication_lag_records", twice), 10)
      << "of the open connection";
  EXPECT_EQ(report.total("shingled_replication_records", twice), 200) << "of both connections";
  EXPECT_EQ(report.total("shingled_replication_connected", {{"peer", "[2001:db8::1]"}}), 1);
}

}  // namespace
}  // namespace shingled::storage::replication
