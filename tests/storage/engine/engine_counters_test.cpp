#include "storage/engine/engine_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "config/metrics/metric_report.h"
#include "storage/engine/record_store.h"
#include "tests/storage/engine/engine_fixture.h"

namespace shingled::storage::engine {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Total = FlagTotals::Total;

FlagSet flags(std::initializer_list<FlagValue> values) {
  FlagSet set;
  for (const FlagValue& value : values) set.add(value);
  return set;
}

TEST(FlagTotals, CountEachListOfARecord) {
  FlagTotals totals;
  EXPECT_THAT(totals.read(), IsEmpty());
  totals.add(flags({{11, 20}, {13, -3}}));
  totals.add(flags({{11, 5}}));
  EXPECT_THAT(totals.read(), ElementsAre(Total{11, 2, 25}, Total{13, 1, -3}));
  totals.take(flags({{11, 20}, {13, -3}}));
  EXPECT_THAT(totals.read(), ElementsAre(Total{11, 1, 5}));
}

TEST(FlagTotals, CountFlagsBeyondThoseOfPacketsAsOne) {
  FlagTotals totals;
  totals.add(flags({{255, 1}}));
  totals.add(flags({{256, 2}}));
  totals.add(flags({{4'294'967'295U, 3}}));
  EXPECT_THAT(totals.read(), ElementsAre(Total{255, 1, 1}, Total{FlagTotals::kOther, 2, 5}));
}

TEST(FlagTotals, AgreeWithTheRecordsWhateverHappensToThem) {
  std::mt19937 random(7);
  const auto pick = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(random() % below);
  };
  const auto random_state = [&] {
    RecordState state{.row = 1, .flags = {}, .created = 1, .updated = 1};
    for (std::uint32_t i = 0; i <= pick(4); ++i) {
      state.flags.add({pick(5), static_cast<std::int32_t>(pick(100)) - 50});
    }
    return state;
  };
  RecordStore records;
  std::vector<std::uint32_t> live;
  for (int step = 0; step < 5000; ++step) {
    const std::uint32_t what = pick(3);
    if (what == 0 || live.empty()) {
      live.push_back(records.add(Digest{}, random_state(), nullptr));
    } else if (const std::size_t at = pick(static_cast<std::uint32_t>(live.size())); what == 1) {
      records.update(live[at], random_state());
    } else {
      records.release(live[at]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (step % 64 == 0) records.reuse_released();
  }
  FlagTotals expected;
  for (const std::uint32_t number : live) expected.add(records.state(number).flags);
  EXPECT_GT(live.size(), 0U);
  EXPECT_EQ(records.flag_totals().read(), expected.read());
}

class EngineReport : public EngineTest {
 protected:
  [[nodiscard]] MetricReport report() const {
    MetricReport report;
    engine_->report(report);
    return report;
  }
};

TEST_F(EngineReport, CountsWhatWasCommitted) {
  open();
  EXPECT_EQ(report().total("shingled_storage_records"), 0);
  const Fingerprint one = random_fingerprint(random_);
  const Fingerprint two = random_fingerprint(random_);
  ASSERT_TRUE(apply(add(one, 20, 11)));
  ASSERT_TRUE(apply(add(one, 3, 13)));
  ASSERT_TRUE(apply(add(two, 5, 11)));
  MetricReport now = report();
  EXPECT_EQ(now.total("shingled_storage_records"), 2);
  EXPECT_EQ(now.total("shingled_storage_flag_records", {{"flag", "11"}}), 2);
  EXPECT_EQ(now.total("shingled_storage_flag_value", {{"flag", "11"}}), 25);
  EXPECT_EQ(now.total("shingled_storage_flag_records", {{"flag", "13"}}), 1);
  EXPECT_EQ(now.total("shingled_storage_added"), 3);
  EXPECT_EQ(now.total("shingled_storage_commits"), 3);
  EXPECT_EQ(now.total("shingled_storage_commit_seconds"), 3) << "a time for each commit";
  EXPECT_EQ(now.total("shingled_storage_updates_waiting"), 0);
  EXPECT_GT(now.total("shingled_storage_file_bytes", {{"file", "wal"}}), 0);

  ASSERT_TRUE(apply(remove(one)));
  now = report();
  EXPECT_EQ(now.total("shingled_storage_deleted"), 1);
  EXPECT_EQ(now.total("shingled_storage_flag_records", {{"flag", "11"}}), 1);
  EXPECT_EQ(now.total("shingled_storage_flag_records", {{"flag", "13"}}), 0);

  open();
  now = report();
  EXPECT_EQ(now.total("shingled_storage_flag_records", {{"flag", "11"}}), 1) << "after loading";
  EXPECT_EQ(now.total("shingled_storage_flag_value", {{"flag", "11"}}), 5);
  EXPECT_EQ(now.total("shingled_storage_added"), 0) << "since it was opened";
}

}  // namespace

}  // namespace shingled::storage::engine
