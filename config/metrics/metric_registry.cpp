#include "config/metrics/metric_registry.h"

namespace shingled {

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
