#pragma once

#include "config/metrics/metric_report.h"
#include "storage/replication/replication_counters.h"

namespace shingled::storage::replication {

/// How the copies do, under the names `shingled_replication_...`, with the labels `role` of the
/// other side ("mirror", "master") and `peer`: a mirror's name or a master's address without its
/// port, which changes with each connection. Several connections of one peer are told as one: what
/// they carried together, and the best of their states.
/// Threads: stateless.
void report_replication(const ReplicationCounters& counters, MetricReport& report);

}  // namespace shingled::storage::replication
