#pragma once

#include <string>
#include <vector>

#include "milter/cli/terminal/console.h"

namespace shingled::milter::cli {

/// Samples that have a label "result", one row for all that have the other labels in common, those
/// with most requests first and at most kTallyRows: `alice (k7kd…)  12 requests  matched 3  added
/// 1`.
inline constexpr std::size_t kTallyRows = 20;
std::vector<TableRow> tally_rows(const Json& samples);

}  // namespace shingled::milter::cli
