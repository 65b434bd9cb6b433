#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/settings.h"

namespace shingled::config {

/// What one rule does by itself: verdicts that it makes stronger and that are weaker without it.
/// In messages of the history.
struct RuleFigures {
  std::uint64_t messages = 0;  ///< get a header or more with it, and would pass without it
  std::uint64_t reported = 0;  ///< of these: people said spam
  std::uint64_t rescued = 0;   ///< made stronger, but people said that it is wanted
  /// Made stronger and not reported, between two who write to each other.
  std::uint64_t correspondents = 0;
  /// Made stronger, and nobody said spam. Of a rule that is out of shadow by its figures only those
  /// from before: since then people find them in the junk folder and need not report them.
  std::uint64_t unreported = 0;
  /// Made stronger than a mark, and nobody said spam: nobody could take it back.
  std::uint64_t stopped = 0;

  friend bool operator==(const RuleFigures&, const RuleFigures&) = default;
};

/// Where a rule stands that is in shadow by the settings.
enum class RuleStage : std::uint8_t {
  kShadow,    ///< its figures are not good enough, or too few
  kProposed,  ///< they are good; a person decides
  kPromoted,  ///< they are good, and it is out of shadow
  kReturned,  ///< it was out of shadow, and its figures turned
};

constexpr std::string_view to_string(RuleStage stage) {
  constexpr std::array<std::string_view, 4> kWords = {"shadow", "proposed", "promoted", "returned"};
  return kWords[static_cast<std::size_t>(stage)];
}

struct RuleJudgement {
  std::string name;
  std::uint64_t identity = 0;  ///< identity_of() of the rule that was judged
  RuleStage stage = RuleStage::kShadow;
  WallTime since{};  ///< from when on it stands there
  RuleFigures figures = {};
  /// Messages without a window that the rule wants, by window.
  std::map<std::string, std::uint64_t> lacking = {};

  friend bool operator==(const RuleJudgement&, const RuleJudgement&) = default;
};

/// What the history said of all rules at one moment.
struct Judgements {
  WallTime judged{};             ///< when; 0 = never
  std::uint64_t messages = 0;    ///< of the history that were looked at
  std::uint64_t unreported = 0;  ///< of these: nobody said spam
  std::uint64_t broken = 0;      ///< rows that cannot be read
  WallTime first{};              ///< time of the oldest message
  std::vector<RuleJudgement> rules = {};

  [[nodiscard]] const RuleJudgement* find(std::string_view name) const {
    for (const RuleJudgement& rule : rules)
      if (rule.name == name) return &rule;
    return nullptr;
  }
  friend bool operator==(const Judgements&, const Judgements&) = default;
};

/// The file with what a history said of the rules: beside the history.
std::string judgement_file(const HistoryOptions& history);

/// Reads it. Without a file there are no judgements, which is no error.
/// Errors:  those of read_whole_file and judgements_of; each names the file.
/// Threads: any thread.
Result<Judgements> read_judgements(const std::string& file);

/// Puts another one in its place: there is always the old one or the new one as a whole, also after
/// a crash. It belongs to the owner of its folder.
/// Errors:  kUnavailable, kDenied ...: as FileSystem.
/// Threads: one thread at a time.
Status write_judgements(const std::string& file, const Judgements& judgements);

/// Judgements as the text of their file: a line for the whole, a line for each rule, and one that
/// says that this is all. Names of rules and windows have letters, digits and '_' only.
/// Threads: stateless.
std::string text_of(const Judgements& judgements);

/// Reads such a text.
/// Errors:  kCorrupt: not such a text, or not all of it; kInvalid: of a newer version. The message
///          names the line.
/// Threads: stateless.
Result<Judgements> judgements_of(std::string_view text);

}  // namespace shingled::config
