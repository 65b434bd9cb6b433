#include "milter/setup/reports_setup.h"

#include <algorithm>
#include <vector>

namespace shingled::milter::setup {

namespace {

constexpr std::string_view kReportsSection = "reports:";
constexpr std::string_view kResidentsKey = "residents:";
constexpr const char* kSetting = "reports.residents";
constexpr std::size_t kNone = std::string_view::npos;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool says_nothing(std::string_view line) {
  const std::string_view content = trimmed(line);
  return content.empty() || content.starts_with('#');
}

/// Where a comment begins; the end of the line without one.
std::size_t comment_of(std::string_view line) {
  for (std::size_t at = line.find('#'); at != kNone; at = line.find('#', at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return at;
  return line.size();
}

/// The value of "key: value  # comment", without quotes.
std::string_view value_of(std::string_view line, std::string_view key) {
  const std::size_t begin = line.find(key) + key.size();
  const std::size_t end = std::max(comment_of(line), begin);
  std::string_view value = trimmed(line.substr(begin, end - begin));
  const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
                      value.back() == value.front();
  return quoted ? value.substr(1, value.size() - 2) : value;
}

/// The lines of the block `reports`.
struct Section {
  std::size_t head = kNone;  ///< of `reports:`; none = it is not there
  std::size_t key = kNone;   ///< of `residents:`
  std::size_t indent = 2;    ///< of its keys
  bool is_block = true;      ///< not `reports: {...}`
};

Section find_section(const std::vector<std::string_view>& lines) {
  Section out;
  const auto head = std::ranges::find_if(
      lines, [](std::string_view line) { return line.starts_with(kReportsSection); });
  if (head == lines.end()) return out;
  out.head = static_cast<std::size_t>(head - lines.begin());
  out.is_block = value_of(*head, kReportsSection).empty();
  bool first = true;
  for (std::size_t i = out.head + 1; out.is_block && i < lines.size(); ++i) {
    if (says_nothing(lines[i])) continue;
    const std::size_t indent = indent_of(lines[i]);
    if (indent == 0) break;
    if (first) out.indent = indent;
    first = false;
    if (indent == out.indent && lines[i].substr(indent).starts_with(kResidentsKey)) out.key = i;
  }
  return out;
}

/// The file with another answer.
std::string with_answer(std::string_view settings, std::string_view answer) {
  const std::vector<std::string_view> lines = lines_of(settings);
  const Section section = find_section(lines);
  const std::string line =
      std::string(section.indent, ' ') + std::string(kResidentsKey) + " " + std::string(answer);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == section.key) {
      const std::string_view comment = lines[i].substr(comment_of(lines[i]));
      out += comment.empty() ? line : line + "  " + std::string(comment);
    } else {
      out += lines[i];
    }
    out += '\n';
    if (i == section.head && section.key == kNone) out += line + '\n';
  }
  if (section.head == kNone)
    out += (out.empty() ? "" : "\n") + std::string(kReportsSection) + '\n' + line + '\n';
  return out;
}

}  // namespace

std::optional<std::string> written_residents(std::string_view settings) {
  const auto lines = lines_of(settings);
  const Section section = find_section(lines);
  if (section.key == kNone) return std::nullopt;
  return std::string(value_of(lines[section.key], kResidentsKey));
}

Plan plan_reports(const std::string& path, std::string_view settings, std::string_view answer) {
  Plan plan;
  const Section section = find_section(lines_of(settings));
  const std::string now = written_residents(settings).value_or("");
  if (!section.is_block) {
    plan.problems.push_back(path +
                            ": 'reports: {...}' stands in one line; write residents: all or "
                            "earned there by hand");
    return plan;
  }
  if (answer.empty() && now.empty()) {
    plan.problems.emplace_back(
        "whose reports count as those of people? --residents all: everybody who can report is a "
        "user of this site; --residents earned: strangers can report, too, so people are mailboxes "
        "that got wanted mail here on 5 different days of the last 14, and others mark at most");
    return plan;
  }
  if (!answer.empty() && answer != now) {
    plan.differences.push_back({kSetting, now, std::string(answer),
                                answer == "all" ? "everybody who can report is a user of this site"
                                                : "strangers can report, too"});
    plan.edits.push_back({path, with_answer(settings, answer)});
  }
  if (answer == "earned" || (answer.empty() && now == "earned"))
    plan.notes.emplace_back(
        "nobody is a resident before this site has counted mail of 5 days; until then reports mark "
        "at most, but those of trusted_reporters");
  if (!plan.edits.empty())
    plan.notes.emplace_back("the daemon takes it with a reload: systemctl reload shingled");
  return plan;
}

}  // namespace shingled::milter::setup
