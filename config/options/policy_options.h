#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled {

/// What a rule does by itself, the weakest first. The last two do the opposite: they bound what the
/// score and all other rules may do.
enum class PolicyAction : std::uint8_t {
  kAddHeader,
  kTempfail,
  kQuarantine,
  kReject,
  kDiscard,
  kAccept,   ///< the message passes, without a mark
  kDeliver,  ///< the message is marked at most
};

constexpr std::string_view to_string(PolicyAction action) {
  constexpr std::array<std::string_view, 7> kWords = {
      "add_header", "tempfail", "quarantine", "reject", "discard", "accept", "deliver"};
  return kWords[static_cast<std::size_t>(action)];
}

/// What becomes of a rule in shadow for which the site's own history speaks.
enum class PolicyPromote : std::uint8_t {
  kAuto,  ///< it goes out of shadow, and back when its figures turn
  kAsk,   ///< the log and `shingled policy status` propose it
  kOff,   ///< no rule is judged
};

constexpr std::string_view to_string(PolicyPromote promote) {
  constexpr std::array<std::string_view, 3> kWords = {"auto", "ask", "off"};
  return kWords[static_cast<std::size_t>(promote)];
}

/// Where something of a rule was written.
struct PolicyPlace {
  std::string file;  ///< or "-o" for an override; empty = nowhere
  int line = 0;      ///< from 1; for an override its number
  int column = 0;    ///< in bytes, from 1

  /// Does not count in comparisons: a rule that moved is still the same.
  friend bool operator==(const PolicyPlace& /*a*/, const PolicyPlace& /*b*/) { return true; }
};

/// Where the letters of a condition were written. They follow each other in a line, except where a
/// line of YAML was folded, or has escapes.
struct PolicyText {
  struct Step {
    std::size_t offset = 0;  ///< in the condition; from here on the place is counted on
    int line = 0;
    int column = 0;
  };
  PolicyPlace start;
  std::vector<Step> steps;  ///< by offset; empty = all are in one line from `start` on

  [[nodiscard]] PolicyPlace at(std::size_t offset) const {
    PolicyPlace place = start;
    std::size_t from = 0;
    const auto after =
        std::upper_bound(steps.begin(), steps.end(), offset,
                         [](std::size_t wanted, const Step& step) { return wanted < step.offset; });
    if (after != steps.begin()) {
      const Step& step = *(after - 1);
      place.line = step.line;
      place.column = step.column;
      from = step.offset;
    }
    place.column += static_cast<int>(offset - from);
    return place;
  }
  friend bool operator==(const PolicyText& /*a*/, const PolicyText& /*b*/) { return true; }
};

/// A rule as it is written. Whether its condition and name make sense is checked in
/// milter/policy.
struct PolicyRuleOptions {
  std::string name;
  std::string condition;
  std::optional<double> score = {};  ///< finite
  std::optional<PolicyAction> action = {};
  std::string reason = {};  ///< for people who ask why, at most 256 bytes in one line
  std::string remedy = {};  ///< what somebody should do now, likewise
  std::string group = {};   ///< a word by which several rules are taken out of shadow; may be empty
  bool shadow = false;      ///< counted and logged, without effect
  bool kept = false;        ///< `live` keeps it in shadow, with a minus: its figures change nothing
  bool promoted = false;    ///< out of shadow by its figures, whatever `shadow` says
  bool enabled = true;

  PolicyPlace place = {};  ///< of its name
  PolicyText condition_text = {};
  PolicyPlace score_place = {};   ///< nowhere, if there is no score
  PolicyPlace action_place = {};  ///< likewise

  friend bool operator==(const PolicyRuleOptions&, const PolicyRuleOptions&) = default;
};

/// For which thresholds the scores of a file of rules were chosen.
struct PolicyScale {
  double score = 0;  ///< from which a message is spam
  PolicyPlace place = {};
  friend bool operator==(const PolicyScale&, const PolicyScale&) = default;
};

/// What the word of the model (section `model`) does.
enum class ModelMode : std::uint8_t {
  kShadow,  ///< shown and counted, without effect
  kScore,   ///< it adds to the score
  kOff,     ///< no model is loaded
};

/// `policy.model`.
struct PolicyModelOptions {
  ModelMode mode = ModelMode::kShadow;
  double score_max = 4;  ///< what it adds at most, and takes away at most; 0 to 100

  friend bool operator==(const PolicyModelOptions&, const PolicyModelOptions&) = default;
};

/// Section `policy`: rules on features and counters of a message.
struct PolicyOptions {
  /// Files with more rules, absolute. Their rules are in `rules`.
  std::vector<std::string> files;
  std::vector<PolicyScale> scales;  ///< of files that say so; `milter.actions` may be on another
  /// Names of rules and of groups of rules that are taken out of shadow; "all" = every rule. Done
  /// in `rules`. A rule that is named with a minus before it stays in shadow.
  std::vector<std::string> live = {"marks"};
  PolicyPromote promote = PolicyPromote::kAsk;  ///< needs the history
  /// Lists of names, absolute; "" = none. A file that does not exist is an empty list.
  std::string allow_file = "/var/lib/shingled/allow.list";
  std::string block_file = "/var/lib/shingled/block.list";
  PolicyAction block_action = PolicyAction::kReject;  ///< not kAccept, not kDeliver
  PolicyModelOptions model;
  /// All rules, those of files first. Each name once.
  std::vector<PolicyRuleOptions> rules;

  friend bool operator==(const PolicyOptions&, const PolicyOptions&) = default;
};

}  // namespace shingled
