#include "milter/policy/parse_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "config/base/ascii.h"
#include "milter/policy/condition_mistakes.h"
#include "milter/policy/condition_tokens.h"
#include "milter/policy/name_comparison.h"

namespace shingled::milter::policy {

namespace {

using Kind = Token::Kind;

/// The word if it is one of `wanted`, else empty.
std::string only(const std::string& word, std::initializer_list<std::string_view> wanted) {
  return std::ranges::find(wanted, word) == wanted.end() ? std::string() : word;
}

class ConditionParser {
 public:
  explicit ConditionParser(std::string_view text) : text_(text), at_(text) {}

  std::variant<Condition, ConditionProblem> parse() {
    std::optional<Condition> all = condition();
    if (all && at_.next.kind != Kind::kEnd) fail_behind(*all);
    if (at_.problem) return *std::move(at_.problem);
    return *std::move(all);
  }

 private:
  // Each returns nullopt after a problem.
  std::optional<Condition> condition() { return row_of(Condition::Kind::kOr, "or"); }
  std::optional<Condition> row_of(Condition::Kind kind, std::string_view word);
  std::optional<Condition> part_of(Condition::Kind kind) {
    return kind == Condition::Kind::kOr ? row_of(Condition::Kind::kAnd, "and") : factor();
  }
  std::optional<Condition> factor();
  std::optional<Condition> brackets();
  std::optional<Condition> atom();

  bool name_comes();
  static void all_recipients(Atom& atom);
  bool comparison(Atom& atom);
  bool counter_value(Atom& atom, const Token& value);
  bool share(Atom& atom);
  bool usual(Atom& atom);
  bool window(Atom& atom);
  bool feature_value(Atom& atom, const Token& value);
  std::optional<Number> number_of(const Token& token, std::string_view text);
  void fail_behind(const Condition& read);

  std::string_view text_;
  TokenCursor at_;
  std::size_t depth_ = 0;
};

std::optional<Condition> ConditionParser::row_of(Condition::Kind kind, std::string_view word) {
  const std::size_t begin = at_.next.offset;
  std::optional<Condition> first = part_of(kind);
  if (!first || !at_.next.is_word(word)) return first;
  Condition row{kind, {}, {}, {}};
  row.parts.push_back(*std::move(first));
  while (at_.next.is_word(word)) {
    at_.take();
    std::optional<Condition> part = part_of(kind);
    if (!part) return std::nullopt;
    row.parts.push_back(*std::move(part));
  }
  row.place = at_.from(begin);
  return row;
}

std::optional<Condition> ConditionParser::factor() {
  if (!at_.next.is_word("not")) return at_.next.kind == Kind::kOpen ? brackets() : atom();
  const std::size_t begin = at_.take().offset;
  if (at_.next.is_word("not")) {
    at_.fail(at_.next, "one 'not' is enough; two of them need brackets: not (not local)");
    return std::nullopt;
  }
  std::optional<Condition> inner = at_.next.kind == Kind::kOpen ? brackets() : atom();
  if (!inner) return std::nullopt;
  Condition negated{Condition::Kind::kNot, {}, {}, {}};
  negated.parts.push_back(*std::move(inner));
  negated.place = at_.from(begin);
  return negated;
}

std::optional<Condition> ConditionParser::brackets() {
  const Token open = at_.take();
  if (++depth_ > kBracketsMax) {
    at_.fail(open, fmt::format("at most {} brackets may be inside each other", kBracketsMax));
    return std::nullopt;
  }
  std::optional<Condition> inner = condition();
  if (!inner) return std::nullopt;
  if (at_.next.kind != Kind::kClose) {
    if (at_.next.kind == Kind::kEnd) {
      at_.fail(open, "this bracket is not closed");
    } else {
      fail_behind(*inner);
    }
    return std::nullopt;
  }
  at_.take();
  --depth_;
  return inner;
}

/// Whether a name is next; else says what is missing.
bool ConditionParser::name_comes() {
  constexpr std::string_view kForm =
      "a comparison begins with a name, such as from.mass >= 100 in 1d";
  const bool keyword = at_.next.kind == Kind::kWord && is_keyword(at_.next.text);
  if (at_.next.kind == Kind::kWord && !keyword) return true;
  const bool begins = at_.last.text.empty();
  if (at_.next.kind == Kind::kEnd && begins) return at_.fail(at_.next, "the condition is empty");
  if (at_.next.kind == Kind::kEnd || keyword || at_.next.kind == Kind::kClose) {
    if (at_.next.kind == Kind::kClose && at_.last.kind == Kind::kOpen)
      return at_.fail(Span{at_.last.offset, at_.next.offset + 1 - at_.last.offset},
                      "nothing is between these brackets");
    if (begins) return at_.fail(at_.next, fmt::format("nothing is before {}", at_.next.spoken()));
    return at_.fail(at_.next, fmt::format("a comparison or a symbol is missing between {} and {}",
                                          at_.last.spoken(), at_.next.spoken()));
  }
  if (at_.next.kind == Kind::kNumber) return at_.fail(at_.next, std::string(kForm));
  const std::string meant = only(meant_by(at_.next.text), {"not", "("});
  if (at_.next.kind == Kind::kOperator && meant.empty())
    return at_.fail(at_.next, fmt::format("a name is missing before {}", at_.next.spoken()));
  return at_.fail(at_.next, fmt::format("{} cannot stand here: {}", at_.next.spoken(), kForm),
                  meant);
}

std::optional<Condition> ConditionParser::atom() {
  if (!name_comes()) return std::nullopt;
  const Token name = at_.take();
  if (const std::string keyword = ascii::to_lower(name.text); is_keyword(keyword)) {
    at_.fail(name, "the words and, or, not, in and of have small letters", keyword);
    return std::nullopt;
  }
  Condition out;
  Atom& atom = out.atom;
  const std::size_t dot = name.text.find('.');
  atom.name = name.text.substr(0, dot);
  atom.name_place = {name.offset, atom.name.size()};
  if (dot != std::string_view::npos) {
    atom.kind = Atom::Kind::kCount;
    atom.measure = name.text.substr(dot + 1);
    atom.measure_place = {name.offset + dot + 1, atom.measure.size()};
    if (atom.measure.empty()) {
      at_.fail(name, "a measure is missing behind the dot, such as from.mass");
      return std::nullopt;
    }
    if (atom.measure.find('.') != std::string::npos) {
      at_.fail(name, "a counter and its measure have one dot between them, such as from.mass");
      return std::nullopt;
    }
  }
  if (atom.kind == Atom::Kind::kName && names_come(at_, atom, text_)) {
    if (!read_names(at_, atom)) return std::nullopt;
    out.place = at_.from(name.offset);
    return out;
  }
  const bool compared = is_comparison(meant_by(at_.next.text)) ||
                        (at_.next.kind == Kind::kOperator &&
                         only(meant_by(at_.next.text), {"and", "or", "not"}).empty());
  const auto measure = storage::counters::find_measure(atom.measure);
  if (measure && is_said(*measure)) atom.window = kSaidWindow;
  if (measure && is_own(*measure) && !compared) {
    all_recipients(atom);
    if (!window(atom)) return std::nullopt;
    out.place = at_.from(name.offset);
    return out;
  }
  const bool needed = atom.kind == Atom::Kind::kCount;
  if ((compared || needed) && !comparison(atom)) return std::nullopt;
  out.place = at_.from(name.offset);
  return out;
}

/// `phrase.own_complaint` alone: all recipients of the message did.
void ConditionParser::all_recipients(Atom& atom) {
  atom.kind = Atom::Kind::kShare;
  atom.op = Operator::kAtLeast;
  atom.number = *parse_number("100");
  atom.of = *parse_number("1");
  atom.value_place = atom.measure_place;
  atom.of_place = atom.measure_place;
}

bool ConditionParser::comparison(Atom& atom) {
  const auto op = at_.take_operator();
  if (!op) return false;
  atom.op = *op;
  const Token value = at_.next;
  const bool word = value.kind == Kind::kWord && !is_keyword(value.text);
  if (!word && value.kind != Kind::kNumber) {
    const std::string meant =
        value.kind == Kind::kOperator
            ? only(std::string(at_.last.text) + std::string(value.text), {">=", "<=", "!="})
            : "";
    if (!meant.empty())
      return at_.fail(Span{at_.last.offset, value.offset + value.text.size() - at_.last.offset},
                      "an operator has no blanks inside", meant);
    if (value.text == "\"" || value.text == "'")
      return at_.fail(value, "values are written without quotes");
    return at_.fail(value, fmt::format("a value is missing between {} and {}", at_.last.spoken(),
                                       value.spoken()));
  }
  at_.take();
  atom.value_place = value.place();
  if (atom.kind != Atom::Kind::kCount) return feature_value(atom, value);
  if (word) return at_.fail(value, fmt::format("'{}' is not a number", value.text));
  return counter_value(atom, value) && window(atom);
}

/// The number that `text` is, the beginning of a word.
std::optional<Number> ConditionParser::number_of(const Token& token, std::string_view text) {
  const auto number = parse_number(text);
  if (!number) at_.fail(token, number_problem(text), nearest_number(text));
  return number;
}

bool ConditionParser::counter_value(Atom& atom, const Token& value) {
  std::string_view text = value.text;
  bool factor = text.ends_with('x') || text.ends_with('X');
  if (factor) text.remove_suffix(1);
  const auto number = number_of(value, text);
  if (!number) return false;
  atom.number = *number;
  if (!factor && at_.next.is_word("x")) {
    at_.take();
    factor = true;
  }
  if (factor) return usual(atom);
  if (at_.next.is_word("usual") || at_.next.is_word("times")) {
    const std::string meant = fmt::format("{}x usual", to_string(*number));
    return at_.fail(Span{value.offset, at_.next.offset + at_.next.text.size() - value.offset},
                    "a multiple of the usual is written with an x", meant);
  }
  if (at_.next.kind == Kind::kPercent) return share(atom);
  if (at_.next.is_word("of"))
    return at_.fail(value, "a share is written with a percent sign",
                    fmt::format("{}%", to_string(*number)));
  return true;
}

bool ConditionParser::share(Atom& atom) {
  at_.take();
  atom.kind = Atom::Kind::kShare;
  atom.value_place = at_.from(atom.value_place.offset);
  if (!at_.next.is_word("of")) {
    const std::string text(text_.substr(atom.value_place.offset, atom.value_place.length));
    return at_.fail(
        atom.value_place, "a share needs the count from which it is believed",
        text + " of " + (at_.next.kind == Kind::kNumber ? std::string(at_.next.text) : "100"));
  }
  at_.take();
  const Token of = at_.next;
  if (of.kind != Kind::kNumber)
    return at_.fail(of, fmt::format("a count is missing between 'of' and {}", of.spoken()));
  at_.take();
  atom.of_place = of.place();
  const auto count = number_of(of, of.text);
  if (!count) return false;
  if (!count->is_whole() || count->millionths == 0 || at_.next.kind == Kind::kPercent)
    return at_.fail(of, "the count of a share is a whole number from 1");
  atom.of = *count;
  return true;
}

bool ConditionParser::usual(Atom& atom) {
  if (!at_.next.is_word("usual")) {
    const bool near = at_.next.kind == Kind::kWord && !is_keyword(at_.next.text);
    const std::string what = fmt::format("'usual' is missing behind '{}x'", to_string(atom.number));
    return near ? at_.fail(at_.next, what, "usual")
                : at_.fail(at_.last, what, to_string(atom.number) + "x usual");
  }
  at_.take();
  atom.kind = Atom::Kind::kUsual;
  atom.value_place = at_.from(atom.value_place.offset);
  return true;
}

bool ConditionParser::window(Atom& atom) {
  if (!at_.next.is_word("in")) return true;
  at_.take();
  const Token text = at_.next;
  const auto measure = storage::counters::find_measure(atom.measure);
  const bool lasts =
      measure && (is_said(*measure) || *measure == storage::counters::Measure::kComplaint ||
                  *measure == storage::counters::Measure::kRescue);
  const auto parse = [&](std::string_view given) {
    return lasts ? storage::counters::parse_said_window(given)
                 : storage::counters::parse_window(given);
  };
  const std::string form =
      fmt::format("a multiple of 10m up to 24h, or 1d to {}d",
                  lasts ? storage::counters::kSaidDaysMax : storage::counters::kWindowDaysMax);
  if (text.kind != Kind::kNumber) {
    const std::string unit =
        text.kind == Kind::kWord ? nearest_window(fmt::format("1{}", text.text)) : "";
    return at_.fail(text, fmt::format("a window is missing behind 'in': {}", form), unit);
  }
  at_.take();
  const auto window = parse(text.text);
  if (window) {
    atom.window = *window;
    return true;
  }
  const bool blank =
      parse_number(text.text) && at_.next.kind == Kind::kWord && !is_keyword(at_.next.text);
  const std::string whole = std::string(text.text) + (blank ? std::string(at_.next.text) : "");
  const std::size_t end =
      blank ? at_.next.offset + at_.next.text.size() : text.offset + text.text.size();
  const Span place{text.offset, end - text.offset};
  if (parse(whole)) return at_.fail(place, "a window has no blank inside", whole);
  return at_.fail(place, fmt::format("'{}' is not a window that is kept: {}", whole, form),
                  nearest_window(whole));
}

bool ConditionParser::feature_value(Atom& atom, const Token& value) {
  atom.kind = Atom::Kind::kFeature;
  if (value.kind == Kind::kWord) {
    atom.word = value.text;
  } else if (value.text.ends_with('x') || at_.next.is_word("x") || at_.next.is_word("usual")) {
    return at_.fail(value, fmt::format("'{}' has no usual: only counters have", atom.name));
  } else {
    const auto number = number_of(value, value.text);
    if (!number) return false;
    atom.number = *number;
  }
  if (at_.next.kind == Kind::kPercent)
    return at_.fail(at_.next, fmt::format("'{}' has no shares: only counters have", atom.name));
  if (at_.next.is_word("in"))
    return at_.fail(at_.next, fmt::format("'{}' has no window: only counters have", atom.name));
  return true;
}

/// Says what is wrong with the word after a condition that could end there.
void ConditionParser::fail_behind(const Condition& read) {
  const bool name = read.kind == Condition::Kind::kAtom && read.atom.kind == Atom::Kind::kName;
  const std::string meant = meant_by(at_.next.text);
  if (at_.next.kind == Kind::kClose) {
    at_.fail(at_.next, "this bracket was not opened");
  } else if (at_.next.is_word("in") || at_.next.is_word("of")) {
    at_.fail(at_.next, name ? fmt::format("'{}' has no window: only counters have", read.atom.name)
                            : fmt::format("{} cannot stand here", at_.next.spoken()));
  } else if (at_.next.kind == Kind::kOperator && only(meant, {"and", "or", "not"}).empty()) {
    at_.fail(at_.next,
             fmt::format("'and' or 'or' is missing before {}: a comparison has one operator",
                         at_.next.spoken()));
  } else if (at_.next.kind == Kind::kNumber && storage::counters::parse_window(at_.next.text)) {
    at_.fail(at_.next, "a window begins with 'in'", fmt::format("in {}", at_.next.text));
  } else if (at_.next.kind == Kind::kPercent) {
    at_.fail(at_.next,
             "a percent sign stands behind the number of a comparison, such as 99% of 100");
  } else {
    at_.fail(at_.next, fmt::format("'and' or 'or' is missing before {}", at_.next.spoken()),
             only(meant, {"and", "or", "in", "of", ")"}));
  }
}

}  // namespace

std::variant<Condition, ConditionProblem> parse_condition(std::string_view text) {
  if (text.size() > kConditionBytesMax) {
    return ConditionProblem{{kConditionBytesMax, text.size() - kConditionBytesMax},
                            fmt::format("a condition has at most {} bytes", kConditionBytesMax)};
  }
  return ConditionParser(text).parse();
}

}  // namespace shingled::milter::policy
