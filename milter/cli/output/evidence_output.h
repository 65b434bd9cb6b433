#pragma once

#include "milter/cli/access/printing.h"
#include "milter/rules/evidence.h"
#include "milter/view/scan_json.h"

namespace shingled::milter::cli {

using view::findings_json;

/// For people: under the title of the source each piece of evidence as a table, then the notes.
/// Nothing for a source without a title, or one that was not asked.
void print_findings(const rules::Findings& findings, Console& console);

}  // namespace shingled::milter::cli
