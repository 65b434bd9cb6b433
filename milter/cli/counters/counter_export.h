#pragma once

#include <cstdint>
#include <string_view>

#include "config/base/result.h"
#include "milter/cli/access/printing.h"
#include "milter/desk/counters/counter_file.h"

namespace shingled::milter::cli {

/// Writes all counts as JSON Lines and finishes the output; returns their number.
/// Errors: those of desk::export_counters and of the output.
inline Result<std::uint64_t> export_to(desk::CounterClient& client, ExportOutput& output,
                                       ProgressMeter& meter) {
  auto lines = desk::export_counters(
      client, [&](std::string_view text) { return output.write(text); }, meter.watcher());
  if (!lines) return lines;
  if (Status kept = output.finish(); !kept) return kept.error();
  return lines;
}

}  // namespace shingled::milter::cli
