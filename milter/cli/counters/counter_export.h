#pragma once

#include <cstdint>

#include "config/base/result.h"
#include "milter/cli/access/counter_client.h"
#include "milter/cli/output/export_output.h"
#include "milter/cli/output/progress_meter.h"

namespace shingled::milter::cli {

/// Writes all counts as JSON Lines and finishes the output; returns their number.
/// Errors: those of the counters and of the output; kCorrupt (a line that is cut off); kUnavailable
///         after Ctrl-C.
Result<std::uint64_t> export_counters(CounterClient& client, ExportOutput& output,
                                      ProgressMeter& meter);

}  // namespace shingled::milter::cli
