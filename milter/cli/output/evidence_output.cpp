#include "milter/cli/output/evidence_output.h"

#include <fmt/format.h>

#include "milter/cli/access/printing.h"

namespace shingled::milter::cli {

void print_findings(const rules::Findings& findings, Console& console) {
  if (findings.source->title.empty() || !findings.asked) return;
  console.line(fmt::format("  {}: {} of {} {} hit", findings.source->title,
                           findings.evidence.size(), *findings.asked, findings.source->unit));
  for (const rules::Evidence& item : findings.evidence) {
    std::vector<TableRow> rows;
    for (const auto& [name, text] : item.explanation().rows) {
      rows.push_back({name, terminal_safe(text)});
    }
    print_table(rows, "    ", console);
  }
  for (const std::string& note : findings.notes) console.line("  note: " + note);
}

}  // namespace shingled::milter::cli
