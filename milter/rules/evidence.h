#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/options/policy_options.h"

namespace shingled::milter::rules {

/// The action for a message, from the weakest to the strongest.
enum class Action : std::uint8_t { kPass, kAddHeader, kTempfail, kQuarantine, kReject, kDiscard };

std::string_view to_string(Action action);  ///< "pass" "add_header" "tempfail" "quarantine" ...

/// What a rule with that action does to a message; kAddHeader for those that only bound others.
Action action_of(PolicyAction action);

/// A number or text with its name, for programs: {"saturation", 0.96}.
struct Detail {
  std::string_view name;  ///< a constant
  std::variant<bool, std::int64_t, double, std::string> value;
};

/// How a piece of evidence came about, in each form in which it is shown.
struct Explanation {
  std::string log;                   ///< its entry in the log line of the message
  std::string header;                ///< for X-Shingled-Result; any bytes, made safe later
  std::string arithmetic;            ///< "0.93 (similarity 93) x 8.00 = 7.44"
  std::vector<Detail> details = {};  ///< for JSON, with symbol and score
  std::vector<std::pair<std::string, std::string>> rows = {};  ///< for a table: {"sample", "a.exe"}
};

/// One fact that speaks for or against a message. The source that found it makes no difference.
struct Evidence {
  enum class Effect : std::uint8_t {
    kCounts,   ///< its symbol counts in the score
    kSpared,   ///< a good fact cancels it, or it is quoted: it is only shown
    kDropped,  ///< too weak: only `scan` lists it
    kTried,    ///< it is only tried out: shown, but without effect
  };

  std::string symbol;
  double score = 0;  ///< negative: speaks for the message
  std::string part;  ///< IMAP section number; empty = the message
  Effect effect = Effect::kCounts;
  /// What it asks for by itself, whatever the score is, if it counts.
  Action action = Action::kPass;
  /// If it counts: the strongest action that the score and all other evidence may have. Limits of
  /// the amount of mail hold all the same.
  std::optional<Action> at_most = {};
  std::string place = {};  ///< where what decided is written: "allow.list:12"; no text of mail
  /// Makes the explanation on demand: there may be thousands of items, and few are shown.
  std::function<Explanation()> explanation;
};

/// The constant properties of a source of evidence. Each source has one object of this type.
struct Source {
  std::string_view key;    ///< in the log line and in JSON: "similar"
  std::string_view title;  ///< heading of its evidence in `scan`; empty = only the table of scores
  std::string_view unit = {};         ///< of the things that it looks up: "pieces"
  std::string_view separator = ", ";  ///< between entries in the log
  bool strongest_shown = false;       ///< if not all can be shown: the strongest; else the first
  bool always_shown = false;          ///< in headers, last, and not counted for the bound
  /// What it finds depends on the counters. It has no part in what a message counts as (`spam`,
  /// `ham`), so that a verdict does not feed itself. A source with evidence of both kinds makes two
  /// findings.
  bool from_counters = false;
};

/// Something that a source could not find out.
struct Gap {
  std::string text;  ///< "known files not looked up to the end"
  /// The most that it could have added to the score; nullopt = not known.
  std::optional<double> score_max = {};
};

/// A count for metrics and JSON: shingled_SOURCE_NAME.
struct Figure {
  std::string_view name;
  std::string_view help;  ///< one sentence
  std::uint64_t amount = 0;
  std::string_view label = {};  ///< metrics only: {list="bad"}
  std::string label_value = {};
};

/// Everything that one source has found out about a message. Verdict, headers, log, metrics and
/// commands go through the findings of all sources and do not know any source by name.
struct Findings {
  const Source* source = nullptr;
  std::vector<Evidence> evidence = {};    ///< in the order in which it was found
  std::optional<std::size_t> asked = {};  ///< units looked up; nullopt = the source was not asked
  std::optional<double> score_max = {};   ///< upper bound for the sum of its symbols
  bool held = false;                      ///< some evidence counts less than its arithmetic says
  bool incomplete = false;                ///< a bound was reached before everything was looked at
  std::vector<Gap> gaps = {};
  std::vector<std::string> notes = {};  ///< why something was left out, fixed phrases; not errors
  std::vector<Figure> figures = {};
  Duration time{};  ///< of the look-up
};

/// The share of a symbol in the score: its strongest evidence counts, not the sum. Many parts of
/// one message are one report.
struct Symbol {
  std::string name;
  double score = 0;
  std::size_t hits = 0;
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

/// Adds the evidence with kCounts to the symbols. New symbols are appended. Pure.
void add_symbols(std::span<const Evidence> evidence, std::vector<Symbol>& symbols);

/// The most pieces of evidence in the log line and in the headers. A message may have thousands.
inline constexpr std::size_t kEvidenceShown = 32;

struct ShownEvidence {
  std::vector<const Evidence*> evidence;
  std::size_t more = 0;  ///< the number of those that are left out
};

/// The evidence to show, without kDropped, in its order. If there is more than `count_max`, the
/// source decides: the first, or the strongest (`Source::strongest_shown`). Pure.
ShownEvidence shown_evidence(const Findings& findings, std::size_t count_max = kEvidenceShown);

/// The entries for the log line; empty without evidence. Pure.
std::string log_text(const Findings& findings);
/// Adds to the log line: the evidence of a source under its key, and its notes under KEY_notes. A
/// field that would be empty is left out.
void log_findings(const Findings& findings, LogLine& line);

}  // namespace shingled::milter::rules
