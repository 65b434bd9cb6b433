#pragma once

#include <string>
#include <string_view>

#include "config/metrics/metric_report.h"

namespace shingled {

inline constexpr std::string_view kOpenMetricsType =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A report in the OpenMetrics text format, ending with "# EOF".
///
/// Label values and help are escaped (backslash, quote, line end); other control bytes and bytes
/// above 0x7e become `\xNN`, so that whatever a label holds the text stays UTF-8 and each sample
/// one line. What is no name of a metric or label has '_' in place of each character that may not
/// be there.
/// Threads: stateless.
/// Cost: O(samples).
/// Source:  OpenMetrics 1.0, "Text format".
std::string openmetrics_text(const MetricReport& report);

}  // namespace shingled
