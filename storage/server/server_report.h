#pragma once

#include "config/metrics/metric_report.h"
#include "storage/server/server_counters.h"

namespace shingled::storage::server {

/// What the fuzzy service has seen, under its names: `shingled_server_...`.
/// Threads: stateless.
void report_server(const ServerCounters& counters, MetricReport& report);

}  // namespace shingled::storage::server
