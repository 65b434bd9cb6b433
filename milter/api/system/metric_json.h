#pragma once

#include "config/metrics/metric_report.h"
#include "milter/view/json.h"

namespace shingled::milter::api {

/// A report as one object. The key is the name of a metric, the value is a list of its samples:
///
///   {"shingled_server_checks": [{"labels": {"version": "4"}, "value": 17}], ...}
///
/// The value of a histogram is {"count", "sum", "p50", "p90", "p99"} in the unit of the metric. A
/// quantile is the upper bound of its bucket; null if there are no values or it is above all
/// bounds.
Json metrics_json(const MetricReport& report);

}  // namespace shingled::milter::api
