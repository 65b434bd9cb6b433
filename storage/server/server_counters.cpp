#include "storage/server/server_counters.h"

namespace shingled::storage::server {

ServerCounters& ServerCounters::operator+=(const ServerCounters& other) {
  add_counters(*this, other);
  for (std::size_t i = 0; i < versions.size(); ++i) versions[i] += other.versions[i];
  return *this;
}

ServerCounters WorkerCounters::read() const {
  auto seen = read_counters<ServerCounters>(*this);
  for (std::size_t i = 0; i < versions.size(); ++i) seen.versions[i] = versions[i].read();
  return seen;
}

void report_server(const ServerCounters& counters, MetricReport& report) {
  report_counters(counters, report);
  for (std::size_t version = 0; version < counters.versions.size(); ++version) {
    if (version != 0 && counters.versions[version] == 0) continue;
    report.counter({"shingled_server_requests", "Requests understood, by protocol version."},
                   counters.versions[version],
                   {{"version", version == 0 ? "other" : std::to_string(version)}});
  }
}

}  // namespace shingled::storage::server
