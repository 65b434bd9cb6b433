#include "storage/redis/route/reachability.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/support/manual_clock.h"

namespace shingled::storage::redis {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = Reachability::Kind;

class Lines final : public Logger {
 public:
  void write(LogLevel /*level*/, std::string_view line) override { all.emplace_back(line); }
  [[nodiscard]] bool enabled(LogLevel /*level*/) const override { return true; }
  std::vector<std::string> all;
};

class ReachabilityTest : public ::testing::Test {
 protected:
  void fail(Reachability& database, Kind kind = Kind::kRead) {
    database.record(database.begin(), kind, Error{ErrorCode::kUnavailable, "no route"});
  }
  static void succeed(Reachability& database, Kind kind = Kind::kRead) {
    database.record(database.begin(), kind, {});
  }

  testing::ManualClock clock_;
  Lines log_;
  const Reachability::Lines names_{"store_away", "store_back", "waits"};
  Reachability server_{false, names_, clock_, log_};
  Reachability cluster_{true, names_, clock_, log_};
};

TEST_F(ReachabilityTest, SaysOnceThatItIsAwayAndOnceThatItIsBack) {
  succeed(server_);
  EXPECT_THAT(log_.all, IsEmpty());
  fail(server_);
  fail(server_);
  EXPECT_TRUE(server_.is_away());
  EXPECT_EQ(server_.failures(), 2U);
  succeed(server_);
  succeed(server_);
  EXPECT_FALSE(server_.is_away());
  EXPECT_THAT(log_.all,
              ElementsAre("store_away meanwhile=waits reason=\"no route\"", "store_back"));
}

TEST_F(ReachabilityTest, ASuccessThatBeganBeforeTheLastFailureSaysNothing) {
  const auto early = server_.begin();
  fail(server_);
  server_.record(early, Kind::kRead, {});
  EXPECT_TRUE(server_.is_away());
  const auto between = server_.begin();
  fail(server_);
  server_.record(between, Kind::kRead, {});
  EXPECT_TRUE(server_.is_away());
}

TEST_F(ReachabilityTest, AFailureThatBeganBeforeTheOutageWasOverBeginsNone) {
  fail(server_);
  const auto early = server_.begin();
  succeed(server_);
  server_.record(early, Kind::kRead, Error{ErrorCode::kTimeout, "late"});
  EXPECT_FALSE(server_.is_away());
  EXPECT_EQ(server_.failures(), 2U) << "it failed nevertheless";
}

TEST_F(ReachabilityTest, AfterAFailedWriteOnlyAWriteShowsThatItIsBack) {
  fail(server_, Kind::kWrite);
  succeed(server_, Kind::kRead);
  EXPECT_TRUE(server_.is_away());
  succeed(server_, Kind::kWrite);
  EXPECT_FALSE(server_.is_away());
  fail(server_, Kind::kRead);
  succeed(server_, Kind::kRead);
  EXPECT_FALSE(server_.is_away());
}

TEST_F(ReachabilityTest, AClusterIsBackWhenNothingFailedForAWhile) {
  fail(cluster_);
  succeed(cluster_);
  EXPECT_TRUE(cluster_.is_away()) << "another of its servers answered";
  clock_.advance(Reachability::kClusterQuiet - seconds(1));
  fail(cluster_);
  clock_.advance(seconds(1));
  succeed(cluster_);
  EXPECT_TRUE(cluster_.is_away());
  clock_.advance(Reachability::kClusterQuiet);
  succeed(cluster_);
  EXPECT_FALSE(cluster_.is_away());
}

}  // namespace
}  // namespace shingled::storage::redis
