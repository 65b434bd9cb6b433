#include "milter/api/system/metric_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace shingled::milter::api {

namespace {

Json quantile(const HistogramReading& reading, double share) {
  const auto wanted =
      static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(reading.count())));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; wanted > 0 && i < reading.shape.bounds.size(); ++i) {
    seen += reading.counts[i];
    if (seen >= wanted) return reading.shape.in_unit(reading.shape.bounds[i]);
  }
  return nullptr;
}

Json value_json(const MetricSample& sample) {
  if (const auto* whole = std::get_if<std::uint64_t>(&sample.value)) return *whole;
  if (const auto* level = std::get_if<std::int64_t>(&sample.value)) return *level;
  if (const auto* real = std::get_if<double>(&sample.value)) return *real;
  const auto& reading = std::get<HistogramReading>(sample.value);
  return {{"count", reading.count()},
          {"sum", reading.shape.in_unit(reading.sum)},
          {"p50", quantile(reading, 0.5)},
          {"p90", quantile(reading, 0.9)},
          {"p99", quantile(reading, 0.99)}};
}

}  // namespace

Json metrics_json(const MetricReport& report) {
  Json metrics = Json::object();
  for (const MetricFamily& family : report.families()) {
    Json samples = Json::array();
    for (const MetricSample& sample : family.samples) {
      Json object = Json::object();
      if (!sample.labels.empty()) {
        Json& labels = object["labels"] = Json::object();
        for (const auto& [key, text] : sample.labels) labels[key] = text;
      }
      object["value"] = value_json(sample);
      samples.push_back(std::move(object));
    }
    metrics[family.name] = std::move(samples);
  }
  return metrics;
}

}  // namespace shingled::milter::api
