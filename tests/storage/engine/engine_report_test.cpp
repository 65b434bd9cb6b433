#include "config/metrics/metric_report.h"
#include "tests/storage/engine/engine_fixture.h"

namespace shingled::storage::engine {
namespace {

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
