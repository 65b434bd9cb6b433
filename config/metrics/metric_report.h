#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/base/guarded.h"
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
  void counter(const MetricName& name, std::chrono::duration<double> seconds,
               MetricLabels labels = {});
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

/// Gives readers everything that is measured. Subsystems count with their own instruments
/// (instruments.h) and do not know the registry; the daemon, which makes them, registers a source
/// that reads them.
///
/// Threads: any thread. Reading calls one source after the other; a source must not block and
/// must not call the registry.
class MetricRegistry {
 public:
  using Source = std::function<void(MetricReport&)>;

  /// Keeps a source registered while it lives. After its destructor the source is not called any
  /// more. It may outlive the registry.
  class [[nodiscard]] Registration {
   public:
    Registration() = default;
    Registration(Registration&& other) noexcept
        : sources_(std::move(other.sources_)), id_(std::exchange(other.id_, 0)) {}
    Registration& operator=(Registration&& other) noexcept;
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration() { reset(); }
    void reset();

   private:
    friend class MetricRegistry;
    using Sources = Guarded<std::map<std::uint64_t, Source>>;
    Registration(const std::shared_ptr<Sources>& sources, std::uint64_t id)
        : sources_(sources), id_(id) {}
    std::weak_ptr<Sources> sources_;
    std::uint64_t id_ = 0;
  };

  MetricRegistry() : sources_(std::make_shared<Registration::Sources>()) {}

  Registration add(Source source);
  /// The reports of all sources, in the order of registration.
  [[nodiscard]] MetricReport read() const;

 private:
  std::shared_ptr<Registration::Sources> sources_;
};

}  // namespace shingled
