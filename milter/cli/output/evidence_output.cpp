#include "milter/cli/output/evidence_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace shingled::milter::cli {

Json findings_json(const rules::Findings& findings) {
  Json hits = Json::array();
  for (const rules::Evidence& item : findings.evidence) {
    Json& hit = hits.emplace_back(Json::object());
    for (const rules::Detail& detail : item.explanation().details) {
      std::visit([&](const auto& value) { hit[std::string(detail.name)] = value; }, detail.value);
    }
  }
  if (findings.source->title.empty()) return hits;
  if (!findings.asked) return nullptr;
  Json object = Json::object();
  for (const rules::Figure& figure : findings.figures) {
    if (figure.label.empty()) object[std::string(figure.name)] = figure.amount;
  }
  object["notes"] = findings.notes;
  object["hits"] = std::move(hits);
  return object;
}

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
