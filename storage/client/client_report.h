#pragma once

#include <span>
#include <string>

#include "config/metrics/metric_report.h"
#include "storage/client/server_statistics.h"

namespace shingled::storage::client {

/// How the servers of one rule do, under the names `shingled_client_...`.
/// Threads: stateless.
void report_client(const std::string& rule, std::span<const ServerStatistics> servers,
                   MetricReport& report);

}  // namespace shingled::storage::client
