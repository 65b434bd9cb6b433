#include "milter/actions/header_edit.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/base/ascii.h"
#include "config/base/hex.h"

namespace shingled::milter::actions {

namespace {

constexpr std::size_t kLineBytesMax = 78;          // RFC 5322 2.1.1
constexpr std::size_t kHeaderValueBytesMax = 900;  // lines of our headers stay below 998

/// A mail client reads "X-Shingled-Score \t" as X-Shingled-Score (RFC 5322 4.5.8), and so do we.
std::string_view without_trailing_space(std::string_view name) {
  const std::size_t last = name.find_last_not_of(" \t");
  return name.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string number(double value) {
  return fmt::format("{:.2f}", value == 0 ? 0.0 : value);  // never "-0.00"
}

bool is_in_force(const rules::Evidence& evidence) {
  return evidence.effect != rules::Evidence::Effect::kTried;
}

/// Without evidence that is only tried out: recipients do not see it.
rules::Findings in_force(rules::Findings findings) {
  std::erase_if(findings.evidence, [](const rules::Evidence& item) { return !is_in_force(item); });
  return findings;
}

std::string status_text(const rules::Verdict& verdict) {
  if (verdict.failed) {
    return "Unknown, score=" + number(verdict.score) + ", reason=" + verdict.reason;
  }
  std::string text = verdict.is_spam() ? "Yes" : "No";
  text += ", score=" + number(verdict.score);
  if (verdict.required) text += " required=" + number(*verdict.required);
  text += " action=" + std::string(rules::to_string(verdict.action));
  if (!verdict.accepted.empty()) text += " accepted=" + verdict.accepted;
  text += " symbols=";
  for (std::size_t i = 0; i < verdict.symbols.size(); ++i) {
    if (i > 0) text += ", ";
    text += verdict.symbols[i].name + "(" + number(verdict.symbols[i].score) + ")";
  }
  return text;
}

}  // namespace

ForgedHeaders::ForgedHeaders(const HeaderOptions& names) {
  for (const std::string& name : names.remove) count_.try_emplace(ascii::to_lower(name), 0);
}

void ForgedHeaders::see(std::string_view name) {
  const auto ours = count_.find(ascii::to_lower(without_trailing_space(name)));
  if (ours != count_.end()) ++ours->second;
}

std::vector<HeaderEdit> ForgedHeaders::removals() const {
  std::vector<HeaderEdit> edits;
  for (const auto& [name, count] : count_) {
    for (std::uint32_t index = count; index > 0; --index) {
      edits.push_back({HeaderEdit::Kind::kRemove, name, index, {}});
    }
  }
  return edits;
}

std::vector<HeaderEdit> verdict_headers(const rules::Verdict& verdict, const rules::Facts& facts,
                                        const HeaderOptions& names) {
  std::vector<HeaderEdit> edits;
  const auto add = [&](const std::string& name, const std::string& text) {
    if (name.empty()) return;
    edits.push_back({HeaderEdit::Kind::kAdd, name, 0, header_value(text, name.size())});
  };
  if (verdict.is_spam()) add(names.spam, "Yes");
  bool scored = !verdict.symbols.empty();
  for (const rules::Findings& findings : facts.findings) {
    scored |= std::any_of(findings.evidence.begin(), findings.evidence.end(), is_in_force);
  }
  if (scored) add(names.score, number(verdict.score));
  if (scored || verdict.failed) add(names.status, status_text(verdict));
  std::size_t room = rules::kEvidenceShown;
  std::size_t more = 0;
  for (const rules::Findings& all : facts.findings) {
    if (all.source->always_shown) continue;
    const rules::Findings findings = in_force(all);
    const rules::ShownEvidence shown = rules::shown_evidence(findings, room);
    for (const rules::Evidence* item : shown.evidence)
      add(names.result, item->explanation().header);
    room -= shown.evidence.size();
    more += shown.more;
  }
  if (more > 0) add(names.result, "and " + std::to_string(more) + " more");
  for (const rules::Findings& findings : facts.findings) {
    if (!findings.source->always_shown) continue;
    for (const rules::Evidence& item : findings.evidence)
      add(names.result, item.explanation().header);
  }
  return edits;
}

std::string header_value(std::string_view text, std::size_t name_bytes) {
  const std::string safe = printable(text, kHeaderValueBytesMax);
  std::string folded;
  std::size_t column = name_bytes + 2;
  for (std::size_t begin = 0; begin < safe.size();) {
    const std::size_t end = std::min(safe.find(' ', begin + 1), safe.size());
    const std::string_view word = std::string_view(safe).substr(begin, end - begin);
    const bool may_fold = begin > 0 && word.size() > 1;  // a folded line must not be blank
    if (may_fold && column + word.size() > kLineBytesMax) {
      folded.append("\n\t").append(word.substr(1));
      column = word.size();
    } else {
      folded.append(word);
      column += word.size();
    }
    begin = end;
  }
  return folded;
}

std::string printable(std::string_view text, std::size_t bytes_max) {
  std::string safe(text.substr(0, bytes_max));
  std::replace_if(
      safe.begin(), safe.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return safe;
}

}  // namespace shingled::milter::actions
