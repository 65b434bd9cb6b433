#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/settings.h"

namespace shingled::config {

/// What a person decided about a rule while the daemon ran. As `policy.live` it holds for the name,
/// whatever the rule says.
struct RuleDecision {
  std::string name;
  bool live = false;  ///< false: in shadow
  WallTime at{};
  std::string by;  ///< who; empty = not known. Letters, digits and ".-_@" only
  friend bool operator==(const RuleDecision&, const RuleDecision&) = default;
};
using RuleDecisions = std::vector<RuleDecision>;

inline constexpr std::size_t kDecisionsMax = 10'000;

/// The decision about a rule; null if there is none.
const RuleDecision* find_decision(const RuleDecisions& decisions, std::string_view rule);

/// The file with the decisions: beside the history, and beside that of the judgements.
std::string decision_file(const HistoryOptions& history);

/// Reads it. Without a file there are no decisions, which is no error.
/// Errors:  those of read_whole_file and decisions_of; each names the file.
/// Threads: any thread.
Result<RuleDecisions> read_decisions(const std::string& file);

/// Puts another one in its place: there is always the old one or the new one as a whole, also after
/// a crash.
/// Errors:  kUnavailable, kDenied ...: as FileSystem.
/// Threads: one thread at a time.
Status write_decisions(const std::string& file, const RuleDecisions& decisions);

/// Decisions as the text of their file, and back: a line for each, and one that says that this is
/// all.
/// Errors:  kCorrupt: not such a text, or not all of it; kInvalid: of a newer version.
/// Threads: stateless.
std::string text_of(const RuleDecisions& decisions);
Result<RuleDecisions> decisions_of(std::string_view text);

}  // namespace shingled::config
