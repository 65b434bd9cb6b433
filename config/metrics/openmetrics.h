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
/// above 0x7e become `\xNN`, so that the text is always UTF-8 and each sample one line. In names of
/// metrics and labels '_' replaces each character that is not allowed.
/// Threads: stateless.
/// Cost: O(samples).
/// Source:  OpenMetrics 1.0, "Text format".
std::string openmetrics_text(const MetricReport& report);

}  // namespace shingled
