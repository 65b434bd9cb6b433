#pragma once

#include "milter/cli/terminal/console.h"
#include "milter/rules/evidence.h"

namespace shingled::milter::cli {

/// The evidence of one source: an array of objects, one for each, with its details. A source with a
/// title of its own has an object around it, {its figures, "notes", "hits"}; null if it was not
/// asked.
Json findings_json(const rules::Findings& findings);

/// For people: under the title of the source each piece of evidence as a table, then the notes.
/// Nothing for a source without a title, or one that was not asked.
void print_findings(const rules::Findings& findings, Console& console);

}  // namespace shingled::milter::cli
