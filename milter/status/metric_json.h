#pragma once

#include <nlohmann/json_fwd.hpp>

#include "config/metrics/metric_report.h"

namespace shingled::milter::status {

/// A report as one object: each metric by its name, each a list of its samples:
///
///   {"shingled_server_checks": [{"labels": {"version": "4"}, "value": 17}], ...}
///
/// A histogram's value is {"count", "sum", "p50", "p90", "p99"} in the unit of the metric; a
/// quantile is the upper bound of its bucket, null where nothing was seen or it is above all
/// bounds.
nlohmann::ordered_json metrics_json(const MetricReport& report);

}  // namespace shingled::milter::status
