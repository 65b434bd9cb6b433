// Covers config/metrics/instruments.cpp, config/metrics/metric_report.cpp,
// config/metrics/metric_report.cpp: what is counted arrives, with its labels.
#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

#include "config/metrics/instruments.h"
#include "config/metrics/metric_report.h"

namespace shingled {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr MetricName kThings = {"things", "Things that happened."};
constexpr MetricName kWaiting = {"waiting", "Things that wait."};

TEST(Instruments, LoseNothingOfAnyThread) {
  EventCount events;
  Histogram sizes(kSizeShape);
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kTimes = 10'000;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (std::uint64_t j = 0; j < kTimes; ++j) {
          events.add();
          sizes.observe(j % 5);
        }
      });
    }
  }
  EXPECT_EQ(events.read(), kThreads * kTimes);
  EXPECT_EQ(sizes.read().count(), kThreads * kTimes);
  EXPECT_EQ(sizes.read().sum, kThreads * kTimes * 2);
}

TEST(Instruments, APlaceInTheRightBucket) {
  struct Case {
    const char* why;
    std::uint64_t value;
    std::size_t bucket;
  };
  const std::size_t above = kSizeShape.bounds.size();
  const Case cases[] = {
      {"nothing is at most one", 0, 0},
      {"a bound belongs to the bucket it ends", 1, 0},
      {"the next step begins the next bucket", 2, 1},
      {"between two bounds", 3, 2},
      {"the last bound", 65'536, above - 1},
      {"above all bounds", 65'537, above},
      {"the largest number there is", std::numeric_limits<std::uint64_t>::max(), above},
  };
  for (const Case& test : cases) {
    Histogram sizes(kSizeShape);
    sizes.observe(test.value);
    const HistogramReading reading = sizes.read();
    ASSERT_EQ(reading.counts.size(), above + 1);
    for (std::size_t i = 0; i < reading.counts.size(); ++i) {
      EXPECT_EQ(reading.counts[i], i == test.bucket ? 1U : 0U) << test.why << ", bucket " << i;
    }
  }
}

TEST(Instruments, ATimeIsKeptInNanoseconds) {
  Histogram latency(kLatencyShape);
  latency.observe(microseconds(1));
  latency.observe(nanoseconds(1001));
  latency.observe(seconds(11));
  latency.observe(seconds(-1));  // a clock that went back: none
  const HistogramReading reading = latency.read();
  EXPECT_EQ(reading.counts.front(), 2U);
  EXPECT_EQ(reading.counts[1], 1U);
  EXPECT_EQ(reading.counts.back(), 1U);
  EXPECT_EQ(reading.sum, 11'000'002'001U);
}

TEST(Instruments, ShapesRiseAndFit) {
  for (const HistogramShape& shape : {kLatencyShape, kSizeShape}) {
    EXPECT_LE(shape.bounds.size(), HistogramShape::kBoundsMax);
    for (std::size_t i = 1; i < shape.bounds.size(); ++i) {
      EXPECT_LT(shape.bounds[i - 1], shape.bounds[i]);
    }
  }
}

TEST(MetricReport, BringsTheSamplesOfAMetricTogether) {
  MetricReport report;
  report.counter(kThings, 3, {{"kind", "a"}, {"place", "x"}});
  report.gauge(kWaiting, std::int64_t{-1});
  report.counter(kThings, 4, {{"kind", "b"}, {"place", "x"}});
  ASSERT_EQ(report.families().size(), 2U);
  EXPECT_EQ(report.families()[0].samples.size(), 2U);
  EXPECT_EQ(report.total("things"), 7);
  EXPECT_EQ(report.total("things", {{"kind", "b"}}), 4);
  EXPECT_EQ(report.total("things", {{"place", "x"}, {"kind", "a"}}), 3);
  EXPECT_EQ(report.total("things", {{"kind", "c"}}), 0);
  EXPECT_EQ(report.total("waiting"), -1);
  EXPECT_EQ(report.total("unknown"), 0);
}

TEST(MetricRegistry, AsksThoseWhoAreRegistered) {
  MetricRegistry registry;
  EventCount events;
  auto first = registry.add([&](MetricReport& report) { report.counter(kThings, events.read()); });
  EXPECT_EQ(registry.read().total("things"), 0);
  events.add(5);
  {
    const auto second =
        registry.add([](MetricReport& report) { report.gauge(kWaiting, std::uint64_t{2}); });
    EXPECT_EQ(registry.read().total("things"), 5);
    EXPECT_EQ(registry.read().total("waiting"), 2);
  }
  EXPECT_EQ(registry.read().families().size(), 1U);

  auto moved = std::move(first);
  EXPECT_EQ(registry.read().total("things"), 5);
  moved = MetricRegistry::Registration();
  EXPECT_TRUE(registry.read().families().empty());
}

TEST(MetricRegistry, MayEndBeforeItsRegistrations) {
  MetricRegistry::Registration registration;
  {
    MetricRegistry registry;
    registration = registry.add([](MetricReport&) {});
  }
  registration.reset();
  registration.reset();  // and once more
}

TEST(MetricRegistry, MayBeReadWhileSourcesComeAndGo) {
  MetricRegistry registry;
  EventCount events;
  std::jthread reader([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) static_cast<void>(registry.read());
  });
  for (int i = 0; i < 1000; ++i) {
    const auto registration =
        registry.add([&](MetricReport& report) { report.counter(kThings, events.read()); });
    events.add();
  }
  reader.request_stop();
  reader.join();
  EXPECT_TRUE(registry.read().families().empty());
}

}  // namespace
}  // namespace shingled
