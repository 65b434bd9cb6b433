#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/document/places.h"
#include "storage/counters/counter.h"

namespace shingled::milter::policy {

__extension__ using Wide = unsigned __int128;

inline constexpr std::uint64_t kMillion = 1'000'000;

/// A number of a condition as it was written: "100", "0.3", "10M". It is exact, so that 7 of 10000
/// is 0.07%.
struct Number {
  std::uint64_t millionths = 0;
  char unit = 0;  ///< K, M, G or T: powers of 1024; 0 = none

  /// Its value in millionths, with the unit.
  [[nodiscard]] Wide value() const;
  [[nodiscard]] bool is_whole() const { return millionths % kMillion == 0; }
  /// Rounded down; without the unit.
  [[nodiscard]] std::uint64_t whole() const { return millionths / kMillion; }
  friend bool operator==(const Number&, const Number&) = default;
};

/// The most that a number may be, without its unit.
inline constexpr std::uint64_t kNumberMax = 9'000'000'000'000;

/// Reads digits, with up to six decimals and one of the units K, M, G and T in either case. nullopt
/// for other text, and for more than kNumberMax.
std::optional<Number> parse_number(std::string_view text);
/// The shortest text that parse_number reads as this number.
std::string to_string(const Number& number);

using storage::counters::Window;

/// Some bytes of the text of a condition.
struct Span {
  std::size_t offset = 0;
  std::size_t length = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

enum class Operator : std::uint8_t { kAtLeast, kMore, kAtMost, kLess, kEqual, kNotEqual };

/// ">=" ">" "<=" "<" "=" "!="
std::string_view to_string(Operator op);

/// The window of a counter that is written without one.
inline constexpr Window kDefaultWindow = {storage::counters::Period::Unit::kDay, 1, 0};
/// That of what people said.
inline constexpr Window kSaidWindow = {storage::counters::Period::Unit::kDay,
                                       storage::counters::kSaidDaysMax, 0};

/// The smallest part of a condition.
struct Atom {
  enum class Kind : std::uint8_t {
    kName,     ///< a symbol, another rule, or a feature that is yes or no: `local`
    kFeature,  ///< `bytes > 10M`, `spf = fail`
    kCount,    ///< `subject.mass >= 1000 in 10m`
    kShare,    ///< `from.spam >= 99% of 100 in 14d`
    kUsual,    ///< `user.mass >= 10x usual in 1h`
    kNames,    ///< `from = a@b.example`, `client in [192.0.2.0/24, ::1]`, `helo in /FILE`
  };

  Kind kind = Kind::kName;
  std::string name = {};     ///< of the symbol, the feature or the counter
  std::string measure = {};  ///< of a counter
  Operator op = Operator::kAtLeast;
  Number number = {};     ///< the amount, the percentage, or the factor
  std::string word = {};  ///< what a feature is compared with, if that is not a number
  Number of = {};         ///< the count from which a share is believed
  Window window = kDefaultWindow;
  bool is_in = false;                     ///< of kNames: written with `in`
  std::vector<std::string> entries = {};  ///< of kNames: what is compared, without quotes
  std::string file = {};                  ///< of kNames: where more entries are; empty = nowhere

  /// Where they stand; does not count in comparisons.
  Span name_place = {};
  Span measure_place = {};
  Span value_place = {};
  Span of_place = {};
  std::vector<Span> entry_places = {};

  friend bool operator==(const Atom& a, const Atom& b) {
    return a.kind == b.kind && a.name == b.name && a.measure == b.measure && a.op == b.op &&
           a.number == b.number && a.word == b.word && a.of == b.of && a.window == b.window &&
           a.is_in == b.is_in && a.entries == b.entries && a.file == b.file;
  }
};

/// A condition as a tree. Equal means the same but for the places in the text.
/// Threads: a value.
struct Condition {
  enum class Kind : std::uint8_t { kAtom, kNot, kAnd, kOr };

  Kind kind = Kind::kAtom;
  std::vector<Condition> parts = {};  ///< one of kNot, two or more of kAnd and kOr
  Atom atom = {};                     ///< of kAtom
  Span place = {};

  friend bool operator==(const Condition& a, const Condition& b) {
    return a.kind == b.kind && a.atom == b.atom && a.parts == b.parts;
  }
};

/// Bounds of a condition.
inline constexpr std::size_t kConditionBytesMax = 4096;
inline constexpr std::size_t kBracketsMax = 32;  ///< inside each other

using Severity = config::Problem::Severity;

/// Something wrong inside a condition.
struct ConditionProblem {
  Span place;             ///< in the text of the condition; may have a length of 0, at its end
  std::string what;       ///< what is wrong, and what is allowed
  std::string hint = {};  ///< what was probably meant, to stand in that place; often empty
  Severity severity = Severity::kError;

  [[nodiscard]] bool is_error() const { return severity == Severity::kError; }
  /// `what; did you mean 'hint'?`
  [[nodiscard]] std::string to_string() const {
    return hint.empty() ? what : what + "; did you mean '" + hint + "'?";
  }
  friend bool operator==(const ConditionProblem&, const ConditionProblem&) = default;
};

/// The canonical text of a condition: one blank between words, no needless brackets, the window of
/// each counter. parse_condition reads it as the same condition.
/// Threads: stateless.
std::string to_string(const Condition& condition);
std::string to_string(const Atom& atom);

/// What an atom compares with: "1000", "99% of 100", "10x usual", "fail". With the operator before
/// it unless that is `>=` or, of a word, `=`.
std::string threshold_text(const Atom& atom);

}  // namespace shingled::milter::policy
