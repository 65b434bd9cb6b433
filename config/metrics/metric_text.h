#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/metrics/metric_report.h"

namespace shingled {

/// The two texts that programs read metrics in.
enum class MetricFormat : std::uint8_t {
  kPrometheus,   ///< Prometheus, exposition format 0.0.4
  kOpenMetrics,  ///< OpenMetrics 1.0, "Text format"
};

/// OpenMetrics if the header Accept of a request names it, else the text that everybody reads.
MetricFormat metric_format(std::string_view accept);

/// The media type of a format.
std::string_view content_type(MetricFormat format);

/// A report as text. OpenMetrics also has units, and ends with "# EOF".
///
/// Label values and help are escaped (backslash, quote, line end); other control bytes and bytes
/// above 0x7e become `\xNN`, so that the text is always UTF-8 and each sample one line. In names of
/// metrics and labels '_' replaces each character that is not allowed.
/// Threads: stateless.
/// Cost: O(samples).
std::string metric_text(const MetricReport& report, MetricFormat format);

}  // namespace shingled
