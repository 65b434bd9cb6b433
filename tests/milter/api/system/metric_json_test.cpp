#include "milter/api/system/metric_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shingled::milter::api {
namespace {

using Json = nlohmann::ordered_json;

TEST(MetricJson, ListsTheSamplesOfEachMetric) {
  MetricReport report;
  report.counter({"checks", "Help."}, 17, {{"version", "4"}});
  report.counter({"checks", "Help."}, 3, {{"version", "3"}});
  report.gauge({"level", "Help."}, std::int64_t{-1});
  EXPECT_EQ(metrics_json(report).dump(),
            R"({"checks":[{"labels":{"version":"4"},"value":17},)"
            R"({"labels":{"version":"3"},"value":3}],"level":[{"value":-1}]})");
}

TEST(MetricJson, ShowsAHistogramAsSumAndQuantiles) {
  struct Case {
    const char* why;
    std::vector<std::uint64_t> counts;  // of at most 1, 10, 100 and above
    const char* expected;
  };
  const Case cases[] = {
      {"no values", {0, 0, 0, 0}, "null null null"},
      {"all values in one bucket", {0, 7, 0, 0}, "10.0 10.0 10.0"},
      {"one value is every quantile", {1, 0, 0, 0}, "1.0 1.0 1.0"},
      {"the bucket with half of the values is the median", {50, 40, 10, 0}, "1.0 10.0 100.0"},
      {"49 of 100 values are not the median", {49, 41, 9, 1}, "10.0 10.0 100.0"},
      {"above all bounds", {0, 0, 0, 5}, "null null null"},
  };
  constexpr std::uint64_t kBounds[] = {1, 10, 100};
  for (const Case& test : cases) {
    MetricReport report;
    const HistogramReading reading{{kBounds, 1}, test.counts, 1234};
    report.histogram({"size", "Help."}, reading);
    const Json value = metrics_json(report).at("size").at(0).at("value");
    EXPECT_EQ(value.at("count"), reading.count()) << test.why;
    EXPECT_EQ(value.at("sum"), 1234.0) << test.why;
    EXPECT_EQ(value.at("p50").dump() + " " + value.at("p90").dump() + " " + value.at("p99").dump(),
              test.expected)
        << test.why;
  }
}

}  // namespace
}  // namespace shingled::milter::api
