#include "config/promotions/decision_file.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "config/base/number_text.h"
#include "config/promotions/replaced_file.h"
#include "config/system/whole_file.h"

namespace shingled::config {

namespace {

constexpr std::size_t kDecisionBytesMax = 4U << 20U;
constexpr std::string_view kDecisionTitle = "shingled rule decisions ";
constexpr std::uint64_t kDecisionVersion = 1;
/// Seconds since 1970 that a clock may show: until the year 9999.
constexpr std::int64_t kDecidedMax = 253'402'300'799;

Error corrupt_decision(std::size_t line) {
  return {ErrorCode::kCorrupt,
          "line " + std::to_string(line) + " is not one of decisions about rules"};
}

/// "rule NAME live at=SECONDS by=WHO"
std::optional<RuleDecision> decision_of(std::string_view line) {
  std::array<std::string_view, 5> words;
  for (std::string_view& word : words) {
    const std::size_t end = std::min(line.find(' '), line.size());
    word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  const auto [rule, name, state, at, by] = words;
  const bool fits = rule == "rule" && !name.empty() && (state == "live" || state == "shadow") &&
                    at.starts_with("at=") && by.starts_with("by=") && line.empty();
  if (!fits) return std::nullopt;
  const auto time = parse_whole<std::int64_t>(at.substr(3), 0, kDecidedMax);
  if (!time) return std::nullopt;
  return RuleDecision{std::string(name), state == "live", WallTime(std::chrono::seconds(*time)),
                      std::string(by.substr(3))};
}

/// A name as one word.
std::string word_of(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 100)) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view(".-_@").find(c) != std::string_view::npos;
    out += plain ? c : '_';
  }
  return out;
}

}  // namespace

const RuleDecision* find_decision(const RuleDecisions& decisions, std::string_view rule) {
  const auto found = std::ranges::find(decisions, rule, &RuleDecision::name);
  return found == decisions.end() ? nullptr : &*found;
}

std::string decision_file(const HistoryOptions& history) { return history.file + ".decisions"; }

Result<RuleDecisions> read_decisions(const std::string& file) {
  const auto whole = read_whole_file(file, kDecisionBytesMax);
  if (!whole && whole.error().code == ErrorCode::kNotFound) return RuleDecisions{};
  if (!whole) return whole.error();
  auto read = decisions_of(whole->text);
  if (!read) return read.error().in(file);
  return read;
}

Status write_decisions(const std::string& file, const RuleDecisions& decisions) {
  return replace_file(file, text_of(decisions));
}

std::string text_of(const RuleDecisions& decisions) {
  std::string out = std::string(kDecisionTitle) + std::to_string(kDecisionVersion) + '\n';
  for (const RuleDecision& one : decisions)
    out += "rule " + one.name + (one.live ? " live" : " shadow") +
           " at=" + std::to_string(one.at.time_since_epoch().count()) + " by=" + word_of(one.by) +
           '\n';
  return out + "end " + std::to_string(decisions.size()) + '\n';
}

Result<RuleDecisions> decisions_of(std::string_view text) {
  RuleDecisions out;
  std::set<std::string, std::less<>> names;
  bool ended = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || ended) return corrupt_decision(number);
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (number == 1) {
      if (!line.starts_with(kDecisionTitle)) return corrupt_decision(1);
      const auto version = parse_whole<std::uint64_t>(line.substr(kDecisionTitle.size()));
      if (version && *version > kDecisionVersion)
        return Error{ErrorCode::kInvalid, "was written by a newer version"};
      if (version != kDecisionVersion) return corrupt_decision(1);
    } else if (line.starts_with("end ")) {
      ended = line == "end " + std::to_string(out.size());
      if (!ended) return corrupt_decision(number);
    } else {
      auto decision = decision_of(line);
      if (!decision || out.size() == kDecisionsMax || !names.insert(decision->name).second)
        return corrupt_decision(number);
      out.push_back(*std::move(decision));
    }
  }
  if (!ended) return Error{ErrorCode::kCorrupt, "its end is missing"};
  return out;
}

}  // namespace shingled::config
