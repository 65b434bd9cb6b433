#include "milter/rules/evidence.h"

#include <algorithm>
#include <cmath>

namespace shingled::milter::rules {

Action action_of(PolicyAction action) {
  switch (action) {
    case PolicyAction::kTempfail:
      return Action::kTempfail;
    case PolicyAction::kQuarantine:
      return Action::kQuarantine;
    case PolicyAction::kReject:
      return Action::kReject;
    case PolicyAction::kDiscard:
      return Action::kDiscard;
    case PolicyAction::kAddHeader:
    case PolicyAction::kAccept:
    case PolicyAction::kDeliver:
      break;
  }
  return Action::kAddHeader;
}

std::string_view to_string(Action action) {
  switch (action) {
    case Action::kPass:
      return "pass";
    case Action::kAddHeader:
      return "add_header";
    case Action::kTempfail:
      return "tempfail";
    case Action::kQuarantine:
      return "quarantine";
    case Action::kReject:
      return "reject";
    case Action::kDiscard:
      return "discard";
  }
  return "pass";
}

void add_symbols(std::span<const Evidence> evidence, std::vector<Symbol>& symbols) {
  for (const Evidence& item : evidence) {
    if (item.effect != Evidence::Effect::kCounts) continue;
    auto symbol = std::find_if(symbols.begin(), symbols.end(),
                               [&](const Symbol& known) { return known.name == item.symbol; });
    if (symbol == symbols.end()) {
      symbol = symbols.insert(symbols.end(), {item.symbol, item.score, 0});
    }
    if (std::abs(item.score) > std::abs(symbol->score)) symbol->score = item.score;
    ++symbol->hits;
  }
}

ShownEvidence shown_evidence(const Findings& findings, std::size_t count_max) {
  ShownEvidence shown;
  for (const Evidence& item : findings.evidence) {
    if (item.effect != Evidence::Effect::kDropped) shown.evidence.push_back(&item);
  }
  if (shown.evidence.size() <= count_max) return shown;
  if (findings.source->strongest_shown) {
    std::stable_sort(shown.evidence.begin(), shown.evidence.end(),
                     [](const Evidence* a, const Evidence* b) {
                       return std::abs(a->score) > std::abs(b->score);
                     });
  }
  shown.more = shown.evidence.size() - count_max;
  shown.evidence.resize(count_max);
  return shown;
}

std::string log_text(const Findings& findings) {
  std::string text;
  const auto append = [&](const std::string& entry) {
    if (!text.empty()) text += findings.source->separator;
    text += entry;
  };
  const ShownEvidence shown = shown_evidence(findings);
  for (const Evidence* item : shown.evidence) append(item->explanation().log);
  if (shown.more > 0) append("and " + std::to_string(shown.more) + " more");
  return text;
}

void log_findings(const Findings& findings, LogLine& line) {
  const std::string key(findings.source->key);
  const std::string evidence = log_text(findings);
  if (!evidence.empty()) line.field(key, evidence);
  if (findings.notes.empty()) return;
  std::string notes;
  for (const std::string& note : findings.notes) notes += (notes.empty() ? "" : ", ") + note;
  line.field(key + "_notes", notes);
}

}  // namespace shingled::milter::rules
