#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "config/base/clock.h"

namespace shingled {

// Instruments for counting while the program runs. Each consists of a few atomics: no lock, no
// allocation, any thread, any number of writers and readers. A subsystem has its own in a struct,
// and registers with a MetricRegistry how to read them (metric_report.h).

/// Counts how often something happened. It only grows.
class EventCount {
 public:
  void add(std::uint64_t more = 1) { value_.fetch_add(more, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t read() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// The buckets of a histogram: their upper bounds, rising and included, in whole steps.
struct HistogramShape {
  static constexpr std::size_t kBoundsMax = 31;

  std::span<const std::uint64_t> bounds;  ///< of static storage, at most kBoundsMax
  std::uint64_t steps_per_unit = 1;       ///< number of steps in one unit of the metric

  [[nodiscard]] double in_unit(std::uint64_t steps) const {
    return static_cast<double>(steps) / static_cast<double>(steps_per_unit);
  }
};

/// Nanoseconds, shown in seconds: 1, 2.5, 5 of each power of ten from 1 us to 10 s.
extern const HistogramShape kLatencyShape;
/// Counts of things handled at once: powers of two from 1 to 65536.
extern const HistogramShape kSizeShape;

/// A histogram at one moment.
struct HistogramReading {
  HistogramShape shape;
  std::vector<std::uint64_t> counts;  ///< of each bucket alone; the last one has no upper bound
  std::uint64_t sum = 0;              ///< in steps

  [[nodiscard]] std::uint64_t count() const;
};

/// Counts values by bucket. `observe` costs a search over the bounds and two atomic adds.
class Histogram {
 public:
  explicit Histogram(const HistogramShape& shape) : shape_(shape) {}

  void observe(std::uint64_t steps);
  /// For kLatencyShape. A negative time counts as 0.
  void observe(Duration time);
  /// Reads bucket by bucket while others count. The number of values is the sum of the buckets that
  /// were read, so the reading is consistent.
  [[nodiscard]] HistogramReading read() const;

 private:
  const HistogramShape shape_;
  std::array<std::atomic<std::uint64_t>, HistogramShape::kBoundsMax + 1> counts_{};
  std::atomic<std::uint64_t> sum_{0};
};

}  // namespace shingled
