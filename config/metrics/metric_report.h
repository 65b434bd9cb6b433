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

/// What a metric is, the same for all its samples.
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
  std::vector<MetricSample> samples;  ///< in the order they were told
};

/// Everything that was measured, at one moment: sources tell, a writer reads.
///
/// A metric may be told by several sources and in several calls; its samples stand together, under
/// the help and kind it was first told with.
/// Threads: one thread.
class MetricReport {
 public:
  void counter(const MetricName& name, std::uint64_t value, MetricLabels labels = {});
  void gauge(const MetricName& name, std::int64_t value, MetricLabels labels = {});
  void gauge(const MetricName& name, std::uint64_t value, MetricLabels labels = {});
  void gauge(const MetricName& name, double value, MetricLabels labels = {});
  void histogram(const MetricName& name, HistogramReading reading, MetricLabels labels = {});

  /// In the order they were first told.
  [[nodiscard]] const std::vector<MetricFamily>& families() const { return families_; }
  /// The sum of a metric's samples that bear all of `labels`, counting a histogram by its values;
  /// 0 where there is none.
  [[nodiscard]] double total(std::string_view name, const MetricLabels& labels = {}) const;

 private:
  MetricFamily& family(const MetricName& name, MetricFamily::Kind kind);
  std::vector<MetricFamily> families_;
};

}  // namespace shingled
