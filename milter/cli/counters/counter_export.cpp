#include "milter/cli/counters/counter_export.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "milter/cli/counters/import_batch.h"

namespace shingled::milter::cli {

Result<std::uint64_t> export_counters(CounterClient& client, ExportOutput& output,
                                      ProgressMeter& meter) {
  std::uint64_t lines = 0;
  bool begun = false;
  std::string rest;  // the beginning of a line
  const Status read = client.export_to([&](std::string_view piece) -> Status {
    const std::size_t end = piece.rfind('\n');
    if (end == std::string_view::npos) {
      rest += piece;
      return {};
    }
    rest += piece.substr(0, end + 1);
    lines += static_cast<std::uint64_t>(std::count(rest.begin(), rest.end(), '\n'));
    if (!std::exchange(begun, true) && is_mark_line(rest)) --lines;  // it is no number
    if (Status written = output.write(rest); !written) return written;
    rest = piece.substr(end + 1);
    return meter.report({"exporting", lines, 0}) ? Status() : Status(storage::stopped());
  });
  if (!read) return read.error();
  if (!rest.empty()) return Error{ErrorCode::kCorrupt, "the export ends inside a line"};
  if (Status kept = output.finish(); !kept) return kept.error();
  return lines;
}

}  // namespace shingled::milter::cli
