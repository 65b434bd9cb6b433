#include "config/metrics/metric_report.h"

#include <algorithm>

namespace shingled {

namespace {

double number(const MetricSample& sample) {
  const auto* reading = std::get_if<HistogramReading>(&sample.value);
  if (reading != nullptr) return static_cast<double>(reading->count());
  if (const auto* whole = std::get_if<std::uint64_t>(&sample.value))
    return static_cast<double>(*whole);
  if (const auto* level = std::get_if<std::int64_t>(&sample.value))
    return static_cast<double>(*level);
  return std::get<double>(sample.value);
}

bool bears(const MetricSample& sample, const MetricLabels& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& label) {
    return std::find(sample.labels.begin(), sample.labels.end(), label) != sample.labels.end();
  });
}

}  // namespace

MetricFamily& MetricReport::family(const MetricName& name, MetricFamily::Kind kind) {
  const auto known = std::find_if(families_.begin(), families_.end(),
                                  [&](const auto& family) { return family.name == name.name; });
  if (known != families_.end()) return *known;
  return families_.emplace_back(
      MetricFamily{std::string(name.name), std::string(name.help), kind, {}});
}

void MetricReport::counter(const MetricName& name, std::uint64_t value, MetricLabels labels) {
  family(name, MetricFamily::Kind::kCounter).samples.push_back({std::move(labels), value});
}

void MetricReport::counter(const MetricName& name, std::chrono::duration<double> seconds,
                           MetricLabels labels) {
  family(name, MetricFamily::Kind::kCounter)
      .samples.push_back({std::move(labels), seconds.count()});
}

void MetricReport::gauge(const MetricName& name, std::int64_t value, MetricLabels labels) {
  family(name, MetricFamily::Kind::kGauge).samples.push_back({std::move(labels), value});
}

void MetricReport::gauge(const MetricName& name, std::uint64_t value, MetricLabels labels) {
  family(name, MetricFamily::Kind::kGauge).samples.push_back({std::move(labels), value});
}

void MetricReport::gauge(const MetricName& name, double value, MetricLabels labels) {
  family(name, MetricFamily::Kind::kGauge).samples.push_back({std::move(labels), value});
}

void MetricReport::histogram(const MetricName& name, HistogramReading reading,
                             MetricLabels labels) {
  family(name, MetricFamily::Kind::kHistogram)
      .samples.push_back({std::move(labels), std::move(reading)});
}

double MetricReport::total(std::string_view name, const MetricLabels& labels) const {
  double sum = 0;
  for (const MetricFamily& family : families_) {
    if (family.name != name) continue;
    for (const MetricSample& sample : family.samples) {
      if (bears(sample, labels)) sum += number(sample);
    }
  }
  return sum;
}

MetricRegistry::Registration& MetricRegistry::Registration::operator=(
    Registration&& other) noexcept {
  if (this != &other) {
    reset();
    sources_ = std::move(other.sources_);
    id_ = std::exchange(other.id_, 0);
  }
  return *this;
}

void MetricRegistry::Registration::reset() {
  if (const auto sources = sources_.lock()) sources->lock()->erase(id_);
  sources_.reset();
}

MetricRegistry::Registration MetricRegistry::add(Source source) {
  auto sources = sources_->lock();
  const std::uint64_t id = sources->empty() ? 1 : sources->rbegin()->first + 1;
  sources->emplace(id, std::move(source));
  return Registration(sources_, id);
}

MetricReport MetricRegistry::read() const {
  MetricReport report;
  auto sources = sources_->lock();
  for (const auto& [id, source] : *sources) source(report);
  return report;
}

}  // namespace shingled
