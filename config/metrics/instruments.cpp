#include "config/metrics/instruments.h"

#include <algorithm>
#include <numeric>

namespace shingled {

namespace {

constexpr std::array<std::uint64_t, 22> kLatencies = {
    1'000,         2'500,         5'000,         10'000,        25'000,      50'000,
    100'000,       250'000,       500'000,       1'000'000,     2'500'000,   5'000'000,
    10'000'000,    25'000'000,    50'000'000,    100'000'000,   250'000'000, 500'000'000,
    1'000'000'000, 2'500'000'000, 5'000'000'000, 10'000'000'000};
constexpr std::array<std::uint64_t, 17> kSizes = {
    1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16'384, 32'768, 65'536};
static_assert(kLatencies.size() <= HistogramShape::kBoundsMax);
static_assert(kSizes.size() <= HistogramShape::kBoundsMax);

}  // namespace

const HistogramShape kLatencyShape{kLatencies, 1'000'000'000};
const HistogramShape kSizeShape{kSizes, 1};

std::uint64_t HistogramReading::count() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void Histogram::observe(std::uint64_t steps) {
  const auto bound = std::lower_bound(shape_.bounds.begin(), shape_.bounds.end(), steps);
  const auto bucket = static_cast<std::size_t>(bound - shape_.bounds.begin());
  counts_[bucket].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(steps, std::memory_order_relaxed);
}

void Histogram::observe(Duration time) {
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  observe(ns > 0 ? static_cast<std::uint64_t>(ns) : 0);
}

HistogramReading Histogram::read() const {
  HistogramReading reading{shape_, {}, sum_.load(std::memory_order_relaxed)};
  reading.counts.resize(shape_.bounds.size() + 1);
  for (std::size_t i = 0; i < reading.counts.size(); ++i) {
    reading.counts[i] = counts_[i].load(std::memory_order_relaxed);
  }
  return reading;
}

}  // namespace shingled
