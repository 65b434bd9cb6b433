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

namespace shingled::milter::rules {

/// A number or text with its name, for programs: {"saturation", 0.96}.
struct Detail {
  std::string_view name;  ///< a constant
  std::variant<bool, std::int64_t, double, std::string> value;
};

/// How a piece of evidence came about, in each form in which somebody reads it.
struct Account {
  std::string log;                   ///< its entry in the log line of the message
  std::string header;                ///< X-Shingled-Result; any bytes, made safe for a header later
  std::string arithmetic;            ///< "0.93 (similarity 93) x 8.00 = 7.44"
  std::vector<Detail> details = {};  ///< for JSON, with symbol and score
  std::vector<std::pair<std::string, std::string>> rows = {};  ///< for a table: {"sample", "a.exe"}
};

/// One thing that speaks for or against a message, whatever it was found by.
struct Evidence {
  enum class Effect : std::uint8_t {
    kCounts,   ///< its symbol counts in the score
    kSpared,   ///< something good takes it away: shown only
    kDropped,  ///< too weak: only `scan` lists it
  };

  std::string symbol;
  double score = 0;  ///< negative speaks for the message
  std::string part;  ///< IMAP section number; empty = the message
  Effect effect = Effect::kCounts;
  /// Made when asked for, for there may be thousands of which a few are shown.
  std::function<Account()> account;
};

/// What is constant about a source of evidence; each has one of these.
struct Source {
  std::string_view key;    ///< of the log line and of JSON: "similar"
  std::string_view title;  ///< above its evidence in `scan`; empty = only in the table of the score
  std::string_view unit = {};         ///< what it looks up: "pieces"
  std::string_view separator = ", ";  ///< of entries in the log
  bool strongest_shown = false;       ///< of more than can be shown the strongest; else the first
  bool always_shown = false;          ///< in headers beside the bound, behind all others
};

/// Something a source could not find out.
struct Gap {
  std::string text;  ///< "known files not looked up to the end"
  /// The most that it could have added to the score; nullopt = there is no telling.
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

/// Everything that one source says of a message. A source makes it; verdict, headers, log, metrics
/// and commands go through all of them and know none by name.
struct Findings {
  const Source* source = nullptr;
  std::vector<Evidence> evidence = {};    ///< in the order found
  std::optional<std::size_t> asked = {};  ///< how many of its units; nullopt = it was not asked
  std::optional<double> score_max = {};   ///< its symbols together count for no more
  bool held = false;        ///< some evidence counts for less than its arithmetic says
  bool incomplete = false;  ///< a bound was met before all was looked at
  std::vector<Gap> gaps = {};
  std::vector<std::string> notes = {};  ///< why something was left out, fixed phrases; no failure
  std::vector<Figure> figures = {};
  Duration time{};  ///< of looking up
};

/// A symbol's share of the score: its strongest evidence. Many parts of one mail are one report.
struct Symbol {
  std::string name;
  double score = 0;
  std::size_t hits = 0;
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

/// Adds evidence that counts to the symbols, new ones behind the others. Pure.
void add_symbols(std::span<const Evidence> evidence, std::vector<Symbol>& symbols);

/// Evidence that the log line and the headers of a message name, of what may be thousands.
inline constexpr std::size_t kEvidenceShown = 32;

struct ShownEvidence {
  std::vector<const Evidence*> evidence;
  std::size_t more = 0;  ///< that is not named
};

/// The evidence to name, in its order; of more than `count_max` as its source wants. Pure.
ShownEvidence shown_evidence(const Findings& findings, std::size_t count_max = kEvidenceShown);

/// The entries of the log line; empty without evidence. Pure.
std::string log_text(const Findings& findings);
/// Adds to the log line the evidence of a source under its key, and its notes under KEY_notes, if
/// there are any.
void log_findings(const Findings& findings, LogLine& line);

}  // namespace shingled::milter::rules
