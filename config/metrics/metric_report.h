#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/metrics/instruments.h"

namespace shingled {

/// What distinguishes the samples of one metric: {"version", "4"}. Few values, all bounded.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;

/// The name and help of a metric, the same for all its samples.
struct MetricName {
  std::string_view name;  ///< letters, digits and '_'; base units; a counter without "_total"
  std::string_view help;  ///< one sentence
};

/// One number, or one histogram, of a metric.
struct MetricSample {
  MetricLabels labels;
  std::variant<std::uint64_t, std::int64_t, double, HistogramReading> value;
};

/// A metric with all its samples.
struct MetricFamily {
  enum class Kind : std::uint8_t { kCounter, kGauge, kHistogram };
  std::string name;
  std::string help;
  Kind kind = Kind::kCounter;
  std::vector<MetricSample> samples;  ///< in the order of the reports
};

/// Everything that was measured, at one moment: sources fill it, a writer reads it.
///
/// A metric may come from several sources and calls. Its samples stand together, with the help and
/// kind of the first call.
/// Threads: one thread.
class MetricReport {
 public:
  void counter(const MetricName& name, std::uint64_t value, MetricLabels labels = {});
  void gauge(const MetricName& name, std::int64_t value, MetricLabels labels = {});
  void gauge(const MetricName& name, std::uint64_t value, MetricLabels labels = {});
  void gauge(const MetricName& name, double value, MetricLabels labels = {});
  void histogram(const MetricName& name, HistogramReading reading, MetricLabels labels = {});

  /// In the order of their first call.
  [[nodiscard]] const std::vector<MetricFamily>& families() const { return families_; }
  /// The sum of the samples of a metric that have all of `labels`; a histogram counts with its
  /// number of values. 0 if there are none.
  [[nodiscard]] double total(std::string_view name, const MetricLabels& labels = {}) const;

 private:
  MetricFamily& family(const MetricName& name, MetricFamily::Kind kind);
  std::vector<MetricFamily> families_;
};

}  // namespace shingled
