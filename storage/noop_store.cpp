#include "storage/noop_store.h"

#include "config/metrics/metric_report.h"

namespace shingled::storage {

std::optional<Match> NoopStore::check(const Digest& /*digest*/, const Shingles* /*shingles*/,
                                      std::uint32_t /*now*/) const {
  return std::nullopt;
}

std::vector<Match> NoopStore::check_all(const Fingerprint& /*fingerprint*/, std::uint32_t /*now*/,
                                        std::size_t /*most*/) const {
  return {};
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the interface is for those who keep it
void NoopStore::submit(Update /*update*/, UpdateDone done) { done({}); }

void NoopStore::report(MetricReport& report) const {
  report.gauge({"shingled_storage_records", "Hashes stored."}, size());
}

}  // namespace shingled::storage
