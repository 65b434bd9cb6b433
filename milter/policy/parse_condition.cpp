#include "milter/policy/parse_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "config/base/ascii.h"
#include "milter/features/feature.h"
#include "milter/features/name.h"
#include "milter/policy/condition_mistakes.h"
#include "milter/policy/condition_tokens.h"

namespace shingled::milter::policy {

namespace {

using Kind = Token::Kind;

constexpr auto kOperators = std::to_array<std::pair<std::string_view, Operator>>({
    {">=", Operator::kAtLeast},
    {">", Operator::kMore},
    {"<=", Operator::kAtMost},
    {"<", Operator::kLess},
    {"=", Operator::kEqual},
    {"!=", Operator::kNotEqual},
});
/// The word if it is one of `wanted`, else empty.
std::string only(const std::string& word, std::initializer_list<std::string_view> wanted) {
  return std::ranges::find(wanted, word) == wanted.end() ? std::string() : word;
}

bool is_comparison(const std::string& word) {
  return std::ranges::find(kOperators, word, &decltype(kOperators)::value_type::first) !=
         kOperators.end();
}

class ConditionParser {
 public:
  explicit ConditionParser(std::string_view text)
      : text_(text), tokens_(text), token_(tokens_.next()) {}

  std::variant<Condition, ConditionProblem> parse() {
    std::optional<Condition> all = condition();
    if (all && token_.kind != Kind::kEnd) fail_behind(*all);
    if (problem_) return *std::move(problem_);
    return *std::move(all);
  }

 private:
  // Each returns nullopt after it has set problem_.
  std::optional<Condition> condition() { return row_of(Condition::Kind::kOr, "or"); }
  std::optional<Condition> row_of(Condition::Kind kind, std::string_view word);
  std::optional<Condition> part_of(Condition::Kind kind) {
    return kind == Condition::Kind::kOr ? row_of(Condition::Kind::kAnd, "and") : factor();
  }
  std::optional<Condition> factor();
  std::optional<Condition> brackets();
  std::optional<Condition> atom();

  bool name_comes();
  bool comparison(Atom& atom);
  bool counter_value(Atom& atom, const Token& value);
  bool share(Atom& atom);
  bool usual(Atom& atom);
  bool window(Atom& atom);
  bool feature_value(Atom& atom, const Token& value);
  std::optional<Number> number_of(const Token& token, std::string_view text);
  [[nodiscard]] bool names_come(const Atom& atom) const;
  bool names(Atom& atom);
  bool name_value(Atom& atom);
  bool name_list(Atom& atom);
  bool name_file(Atom& atom);
  void read_value() { token_ = tokens_.value_at(last_.offset + last_.text.size()); }
  std::optional<Operator> take_operator();
  void fail_behind(const Condition& read);

  Token take() {
    last_ = token_;
    token_ = tokens_.next();
    return last_;
  }
  /// Only the first problem counts. False, so that it can be returned.
  bool fail(const Span& place, std::string what, std::string hint = {}) {
    if (!problem_) problem_ = ConditionProblem{place, std::move(what), std::move(hint)};
    return false;
  }
  bool fail(const Token& token, std::string what, std::string hint = {}) {
    return fail(token.place(), std::move(what), std::move(hint));
  }
  [[nodiscard]] Span from(std::size_t begin) const {
    return {begin, last_.offset + last_.text.size() - begin};
  }

  std::string_view text_;
  ConditionTokens tokens_;
  Token token_;  ///< the next one
  Token last_;   ///< the one before it
  std::size_t depth_ = 0;
  std::optional<ConditionProblem> problem_;
};

std::optional<Condition> ConditionParser::row_of(Condition::Kind kind, std::string_view word) {
  const std::size_t begin = token_.offset;
  std::optional<Condition> first = part_of(kind);
  if (!first || !token_.is_word(word)) return first;
  Condition row{kind, {}, {}, {}};
  row.parts.push_back(*std::move(first));
  while (token_.is_word(word)) {
    take();
    std::optional<Condition> part = part_of(kind);
    if (!part) return std::nullopt;
    row.parts.push_back(*std::move(part));
  }
  row.place = from(begin);
  return row;
}

std::optional<Condition> ConditionParser::factor() {
  if (!token_.is_word("not")) return token_.kind == Kind::kOpen ? brackets() : atom();
  const std::size_t begin = take().offset;
  if (token_.is_word("not")) {
    fail(token_, "one 'not' is enough; two of them need brackets: not (not local)");
    return std::nullopt;
  }
  std::optional<Condition> inner = token_.kind == Kind::kOpen ? brackets() : atom();
  if (!inner) return std::nullopt;
  Condition negated{Condition::Kind::kNot, {}, {}, {}};
  negated.parts.push_back(*std::move(inner));
  negated.place = from(begin);
  return negated;
}

std::optional<Condition> ConditionParser::brackets() {
  const Token open = take();
  if (++depth_ > kBracketsMax) {
    fail(open, fmt::format("at most {} brackets may be inside each other", kBracketsMax));
    return std::nullopt;
  }
  std::optional<Condition> inner = condition();
  if (!inner) return std::nullopt;
  if (token_.kind != Kind::kClose) {
    if (token_.kind == Kind::kEnd) {
      fail(open, "this bracket is not closed");
    } else {
      fail_behind(*inner);
    }
    return std::nullopt;
  }
  take();
  --depth_;
  return inner;
}

/// Whether a name is next; else says what is missing.
bool ConditionParser::name_comes() {
  constexpr std::string_view kForm =
      "a comparison begins with a name, such as from.mass >= 100 in 1d";
  const bool keyword = token_.kind == Kind::kWord && is_keyword(token_.text);
  if (token_.kind == Kind::kWord && !keyword) return true;
  const bool begins = last_.text.empty();
  if (token_.kind == Kind::kEnd && begins) return fail(token_, "the condition is empty");
  if (token_.kind == Kind::kEnd || keyword || token_.kind == Kind::kClose) {
    if (token_.kind == Kind::kClose && last_.kind == Kind::kOpen)
      return fail(Span{last_.offset, token_.offset + 1 - last_.offset},
                  "nothing is between these brackets");
    if (begins) return fail(token_, fmt::format("nothing is before {}", token_.spoken()));
    return fail(token_, fmt::format("a comparison or a symbol is missing between {} and {}",
                                    last_.spoken(), token_.spoken()));
  }
  if (token_.kind == Kind::kNumber) return fail(token_, std::string(kForm));
  const std::string meant = only(meant_by(token_.text), {"not", "("});
  if (token_.kind == Kind::kOperator && meant.empty())
    return fail(token_, fmt::format("a name is missing before {}", token_.spoken()));
  return fail(token_, fmt::format("{} cannot stand here: {}", token_.spoken(), kForm), meant);
}

std::optional<Condition> ConditionParser::atom() {
  if (!name_comes()) return std::nullopt;
  const Token name = take();
  if (const std::string keyword = ascii::to_lower(name.text); is_keyword(keyword)) {
    fail(name, "the words and, or, not, in and of have small letters", keyword);
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
      fail(name, "a measure is missing behind the dot, such as from.mass");
      return std::nullopt;
    }
    if (atom.measure.find('.') != std::string::npos) {
      fail(name, "a counter and its measure have one dot between them, such as from.mass");
      return std::nullopt;
    }
  }
  if (atom.kind == Atom::Kind::kName && names_come(atom)) {
    if (!names(atom)) return std::nullopt;
    out.place = from(name.offset);
    return out;
  }
  const bool compared =
      is_comparison(meant_by(token_.text)) ||
      (token_.kind == Kind::kOperator && only(meant_by(token_.text), {"and", "or", "not"}).empty());
  const bool needed = atom.kind == Atom::Kind::kCount;
  if ((compared || needed) && !comparison(atom)) return std::nullopt;
  out.place = from(name.offset);
  return out;
}

/// Whether the name is compared with other names: it is one of those, or a slip of the pen for one.
bool ConditionParser::names_come(const Atom& atom) const {
  const bool in = token_.is_word("in");
  const bool equal = token_.text == "=" || token_.text == "!=" || token_.text == "==";
  if (features::find_name(atom.name) != nullptr)
    return in || token_.kind == Kind::kOperator || is_comparison(meant_by(token_.text));
  if (features::find_feature(atom.name) != nullptr || (!in && !equal)) return false;
  const std::string_view rest = ascii::trim_space(text_.substr(token_.offset + token_.text.size()));
  if (rest.empty()) return false;
  if (rest[0] == '/' || rest[0] == '"' || (rest[0] == '[' && in)) return true;
  const std::string_view value = rest.substr(0, rest.find_first_of(" \t\r\n,()[]"));
  return value.find_first_of("@/:") != std::string_view::npos;
}

/// Takes the value that is next.
bool ConditionParser::name_value(Atom& atom) {
  const bool keyword = is_keyword(token_.text);
  if (token_.kind != Kind::kValue || keyword)
    return fail(token_, fmt::format("a value is missing between {} and {}", last_.spoken(),
                                    token_.spoken()));
  std::string_view text = token_.text;
  if (text.starts_with('"')) {
    if (text.size() < 2 || !text.ends_with('"'))
      return fail(token_, "this quotation is not closed");
    text = text.substr(1, text.size() - 2);
  }
  atom.entries.emplace_back(text);
  atom.entry_places.push_back(token_.place());
  take();
  return true;
}

bool ConditionParser::name_list(Atom& atom) {
  const Token open = take();
  while (true) {
    read_value();
    if (token_.text == "]" && atom.entries.empty())
      return fail(Span{open.offset, token_.offset + 1 - open.offset},
                  "nothing is between these brackets");
    if (!name_value(atom)) return false;
    if (token_.text == "]") break;
    if (token_.kind == Kind::kEnd) return fail(open, "this bracket is not closed");
    if (token_.text != ",")
      return fail(token_, fmt::format("a comma is missing before {}", token_.spoken()));
    take();
  }
  take();
  return true;
}

bool ConditionParser::name_file(Atom& atom) {
  if (!name_value(atom)) return false;
  atom.file = std::move(atom.entries.back());
  atom.entries.clear();
  if (atom.file.starts_with('/') || atom.file.starts_with("./")) return true;
  return fail(atom.entry_places.back(),
              "values stand in brackets, such as [a@shop.example, b@shop.example]; a file is "
              "written with its folder, such as /etc/shingled/names.list or ./names.list",
              fmt::format("[{}]", atom.file));
}

bool ConditionParser::names(Atom& atom) {
  atom.kind = Atom::Kind::kNames;
  atom.op = Operator::kEqual;
  if (token_.is_word("in")) {
    atom.is_in = true;
    take();
    read_value();
    return token_.text == "[" ? name_list(atom) : name_file(atom);
  }
  const auto op = take_operator();
  if (!op) return false;
  atom.op = *op;
  read_value();
  if (token_.text == "[") return fail(last_, "several values are written with 'in'", "in");
  return name_value(atom);
}

std::optional<Operator> ConditionParser::take_operator() {
  const auto* const found =
      std::ranges::find(kOperators, token_.text, &decltype(kOperators)::value_type::first);
  if (found != kOperators.end()) {
    take();
    return found->second;
  }
  const std::string meant = meant_by(token_.text);
  if (token_.kind == Kind::kOperator || token_.kind == Kind::kOther || is_comparison(meant)) {
    fail(token_, fmt::format("{} is not an operator; allowed: >= > <= < = !=", token_.spoken()),
         is_comparison(meant) ? meant : "");
  } else {
    fail(last_, fmt::format("'{0}' needs a comparison, such as {0} >= 10 in 1d", last_.text));
  }
  return std::nullopt;
}

bool ConditionParser::comparison(Atom& atom) {
  const auto op = take_operator();
  if (!op) return false;
  atom.op = *op;
  const Token value = token_;
  const bool word = value.kind == Kind::kWord && !is_keyword(value.text);
  if (!word && value.kind != Kind::kNumber) {
    const std::string meant =
        value.kind == Kind::kOperator
            ? only(std::string(last_.text) + std::string(value.text), {">=", "<=", "!="})
            : "";
    if (!meant.empty())
      return fail(Span{last_.offset, value.offset + value.text.size() - last_.offset},
                  "an operator has no blanks inside", meant);
    if (value.text == "\"" || value.text == "'")
      return fail(value, "values are written without quotes");
    return fail(
        value, fmt::format("a value is missing between {} and {}", last_.spoken(), value.spoken()));
  }
  take();
  atom.value_place = value.place();
  if (atom.kind != Atom::Kind::kCount) return feature_value(atom, value);
  if (word) return fail(value, fmt::format("'{}' is not a number", value.text));
  return counter_value(atom, value) && window(atom);
}

/// The number that `text` is, the beginning of a word.
std::optional<Number> ConditionParser::number_of(const Token& token, std::string_view text) {
  const auto number = parse_number(text);
  if (!number) fail(token, number_problem(text), nearest_number(text));
  return number;
}

bool ConditionParser::counter_value(Atom& atom, const Token& value) {
  std::string_view text = value.text;
  bool factor = text.ends_with('x') || text.ends_with('X');
  if (factor) text.remove_suffix(1);
  const auto number = number_of(value, text);
  if (!number) return false;
  atom.number = *number;
  if (!factor && token_.is_word("x")) {
    take();
    factor = true;
  }
  if (factor) return usual(atom);
  if (token_.is_word("usual") || token_.is_word("times")) {
    const std::string meant = fmt::format("{}x usual", to_string(*number));
    return fail(Span{value.offset, token_.offset + token_.text.size() - value.offset},
                "a multiple of the usual is written with an x", meant);
  }
  if (token_.kind == Kind::kPercent) return share(atom);
  if (token_.is_word("of"))
    return fail(value, "a share is written with a percent sign",
                fmt::format("{}%", to_string(*number)));
  return true;
}

bool ConditionParser::share(Atom& atom) {
  take();
  atom.kind = Atom::Kind::kShare;
  atom.value_place = from(atom.value_place.offset);
  if (!token_.is_word("of")) {
    const std::string text(text_.substr(atom.value_place.offset, atom.value_place.length));
    return fail(atom.value_place, "a share needs the count from which it is believed",
                text + " of " + (token_.kind == Kind::kNumber ? std::string(token_.text) : "100"));
  }
  take();
  const Token of = token_;
  if (of.kind != Kind::kNumber)
    return fail(of, fmt::format("a count is missing between 'of' and {}", of.spoken()));
  take();
  atom.of_place = of.place();
  const auto count = number_of(of, of.text);
  if (!count) return false;
  if (!count->is_whole() || count->millionths == 0 || token_.kind == Kind::kPercent)
    return fail(of, "the count of a share is a whole number from 1");
  atom.of = *count;
  return true;
}

bool ConditionParser::usual(Atom& atom) {
  if (!token_.is_word("usual")) {
    const bool near = token_.kind == Kind::kWord && !is_keyword(token_.text);
    const std::string what = fmt::format("'usual' is missing behind '{}x'", to_string(atom.number));
    return near ? fail(token_, what, "usual")
                : fail(last_, what, to_string(atom.number) + "x usual");
  }
  take();
  atom.kind = Atom::Kind::kUsual;
  atom.value_place = from(atom.value_place.offset);
  return true;
}

bool ConditionParser::window(Atom& atom) {
  if (!token_.is_word("in")) return true;
  take();
  const Token text = token_;
  constexpr std::string_view kForm = "a multiple of 10m up to 24h, or 1d to 14d";
  if (text.kind != Kind::kNumber) {
    const std::string unit =
        text.kind == Kind::kWord ? nearest_window(fmt::format("1{}", text.text)) : "";
    return fail(text, fmt::format("a window is missing behind 'in': {}", kForm), unit);
  }
  take();
  const auto window = storage::counters::parse_window(text.text);
  if (window) {
    atom.window = *window;
    return true;
  }
  const bool blank =
      parse_number(text.text) && token_.kind == Kind::kWord && !is_keyword(token_.text);
  const std::string whole = std::string(text.text) + (blank ? std::string(token_.text) : "");
  const std::size_t end =
      blank ? token_.offset + token_.text.size() : text.offset + text.text.size();
  const Span place{text.offset, end - text.offset};
  if (storage::counters::parse_window(whole))
    return fail(place, "a window has no blank inside", whole);
  return fail(place, fmt::format("'{}' is not a window that is kept: {}", whole, kForm),
              nearest_window(whole));
}

bool ConditionParser::feature_value(Atom& atom, const Token& value) {
  atom.kind = Atom::Kind::kFeature;
  if (value.kind == Kind::kWord) {
    atom.word = value.text;
  } else if (value.text.ends_with('x') || token_.is_word("x") || token_.is_word("usual")) {
    return fail(value, fmt::format("'{}' has no usual: only counters have", atom.name));
  } else {
    const auto number = number_of(value, value.text);
    if (!number) return false;
    atom.number = *number;
  }
  if (token_.kind == Kind::kPercent)
    return fail(token_, fmt::format("'{}' has no shares: only counters have", atom.name));
  if (token_.is_word("in"))
    return fail(token_, fmt::format("'{}' has no window: only counters have", atom.name));
  return true;
}

/// Says what is wrong with the word behind a condition that could end there.
void ConditionParser::fail_behind(const Condition& read) {
  const bool name = read.kind == Condition::Kind::kAtom && read.atom.kind == Atom::Kind::kName;
  const std::string meant = meant_by(token_.text);
  if (token_.kind == Kind::kClose) {
    fail(token_, "this bracket was not opened");
  } else if (token_.is_word("in") || token_.is_word("of")) {
    fail(token_, name ? fmt::format("'{}' has no window: only counters have", read.atom.name)
                      : fmt::format("{} cannot stand here", token_.spoken()));
  } else if (token_.kind == Kind::kOperator && only(meant, {"and", "or", "not"}).empty()) {
    fail(token_, fmt::format("'and' or 'or' is missing before {}: a comparison has one operator",
                             token_.spoken()));
  } else if (token_.kind == Kind::kNumber && storage::counters::parse_window(token_.text)) {
    fail(token_, "a window begins with 'in'", fmt::format("in {}", token_.text));
  } else if (token_.kind == Kind::kPercent) {
    fail(token_, "a percent sign stands behind the number of a comparison, such as 99% of 100");
  } else {
    fail(token_, fmt::format("'and' or 'or' is missing before {}", token_.spoken()),
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
