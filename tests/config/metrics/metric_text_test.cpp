#include "config/metrics/metric_text.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

namespace shingled {
namespace {

std::string openmetrics_text(const MetricReport& report) {
  return metric_text(report, MetricFormat::kOpenMetrics);
}

TEST(OpenMetrics, AnEmptyReportIsItsEnd) { EXPECT_EQ(openmetrics_text({}), "# EOF\n"); }

TEST(OpenMetrics, WritesEachKindAsTheTextFormatHasIt) {
  MetricReport report;
  report.counter({"app_checks", "Questions answered."}, 17, {{"version", "4"}});
  report.counter({"app_checks", "Questions answered."}, 0, {{"version", "3"}});
  report.gauge({"app_level", "Goes up and down."}, std::int64_t{-3});
  report.gauge({"app_wal_bytes", "Length of the log."}, 0.5);
  constexpr std::uint64_t kBounds[] = {1'000, 2'500, 1'000'000'000};
  report.histogram({"app_wait_seconds", "Time waited."},
                   {{kBounds, 1'000'000'000}, {2, 0, 1, 4}, 1'500'000'000}, {{"stage", "read"}});
  EXPECT_EQ(openmetrics_text(report),
            "# TYPE app_checks counter\n"
            "# HELP app_checks Questions answered.\n"
            "app_checks_total{version=\"4\"} 17\n"
            "app_checks_total{version=\"3\"} 0\n"
            "# TYPE app_level gauge\n"
            "# HELP app_level Goes up and down.\n"
            "app_level -3\n"
            "# TYPE app_wal_bytes gauge\n"
            "# UNIT app_wal_bytes bytes\n"
            "# HELP app_wal_bytes Length of the log.\n"
            "app_wal_bytes 0.5\n"
            "# TYPE app_wait_seconds histogram\n"
            "# UNIT app_wait_seconds seconds\n"
            "# HELP app_wait_seconds Time waited.\n"
            "app_wait_seconds_bucket{stage=\"read\",le=\"1e-06\"} 2\n"
            "app_wait_seconds_bucket{stage=\"read\",le=\"2.5e-06\"} 2\n"
            "app_wait_seconds_bucket{stage=\"read\",le=\"1.0\"} 3\n"
            "app_wait_seconds_bucket{stage=\"read\",le=\"+Inf\"} 7\n"
            "app_wait_seconds_sum{stage=\"read\"} 1.5\n"
            "app_wait_seconds_count{stage=\"read\"} 7\n"
            "# EOF\n");
}

TEST(OpenMetrics, NoLabelCanForgeALine) {
  struct Case {
    const char* why;
    std::string value;
    const char* expected;
  };
  const Case cases[] = {
      {"plain text stays", "local", "x_total{by=\"local\"} 1"},
      {"a quote would end the value", "a\"b", "x_total{by=\"a\\\"b\"} 1"},
      {"a backslash would escape the quote", "a\\", "x_total{by=\"a\\\\\"} 1"},
      {"a line end would begin another sample", "a\nx_total 9", "x_total{by=\"a\\nx_total 9\"} 1"},
      {"other control bytes are shown", std::string("\r\0", 2), "x_total{by=\"\\\\x0d\\\\x00\"} 1"},
      {"what is no UTF-8 is shown", "\xff", "x_total{by=\"\\\\xff\"} 1"},
  };
  for (const Case& test : cases) {
    MetricReport report;
    report.counter({"x", "Help."}, 1, {{"by", test.value}});
    EXPECT_EQ(openmetrics_text(report),
              std::string("# TYPE x counter\n# HELP x Help.\n") + test.expected + "\n# EOF\n")
        << test.why;
  }
}

TEST(OpenMetrics, NamesAndHelpAreMadeSafe) {
  MetricReport report;
  report.gauge({"9 lives\n", "Two\nlines and a \\."}, std::uint64_t{9}, {{"a-b", ""}});
  EXPECT_EQ(openmetrics_text(report),
            "# TYPE _9_lives_ gauge\n# HELP _9_lives_ Two\\nlines and a \\\\.\n"
            "_9_lives_{a_b=\"\"} 9\n# EOF\n");
}

TEST(OpenMetrics, WritesNumbersExactly) {
  struct Case {
    const char* why;
    double value;
    const char* expected;
  };
  const Case cases[] = {
      {"a whole number", 3, "3.0"},
      {"a fraction that no binary number is", 0.1, "0.1"},
      {"a large one", 1e300, "1e+300"},
      {"no number", std::numeric_limits<double>::quiet_NaN(), "NaN"},
      {"beyond all numbers", std::numeric_limits<double>::infinity(), "+Inf"},
      {"below all numbers", -std::numeric_limits<double>::infinity(), "-Inf"},
  };
  for (const Case& test : cases) {
    MetricReport report;
    report.gauge({"x", "Help."}, test.value);
    EXPECT_EQ(openmetrics_text(report),
              std::string("# TYPE x gauge\n# HELP x Help.\nx ") + test.expected + "\n# EOF\n")
        << test.why;
  }
  MetricReport largest;
  largest.counter({"x", "Help."}, std::numeric_limits<std::uint64_t>::max());
  EXPECT_NE(openmetrics_text(largest).find("x_total 18446744073709551615\n"), std::string::npos);
}

TEST(PrometheusText, NamesACounterAsItsSamplesAndEndsWithoutAMark) {
  MetricReport report;
  report.counter({"app_checks", "Questions of \"ours\"."}, 17, {{"version", "4\""}});
  report.counter({"app_cpu_seconds", "Time."}, std::chrono::milliseconds(250));
  report.gauge({"app_wal_bytes", "Length of the log."}, 0.5);
  EXPECT_EQ(metric_text(report, MetricFormat::kPrometheus),
            "# TYPE app_checks_total counter\n"
            "# HELP app_checks_total Questions of \"ours\".\n"
            "app_checks_total{version=\"4\\\"\"} 17\n"
            "# TYPE app_cpu_seconds_total counter\n"
            "# HELP app_cpu_seconds_total Time.\n"
            "app_cpu_seconds_total 0.25\n"
            "# TYPE app_wal_bytes gauge\n"
            "# HELP app_wal_bytes Length of the log.\n"
            "app_wal_bytes 0.5\n");
  EXPECT_EQ(metric_text({}, MetricFormat::kPrometheus), "");
}

TEST(MetricFormat, IsWhatTheClientNames) {
  EXPECT_EQ(metric_format(""), MetricFormat::kPrometheus);
  EXPECT_EQ(metric_format("*/*"), MetricFormat::kPrometheus) << "curl";
  EXPECT_EQ(metric_format("application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1"),
            MetricFormat::kOpenMetrics)
      << "Prometheus";
}

}  // namespace
}  // namespace shingled
