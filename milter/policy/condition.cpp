#include "milter/policy/condition.h"

#include <fmt/format.h>

#include <array>

#include "config/base/ascii.h"
#include "config/base/number_text.h"
#include "milter/features/feature.h"
#include "milter/policy/condition_mistakes.h"

namespace shingled::milter::policy {

namespace {

constexpr std::string_view kUnits = "KMGT";
constexpr std::size_t kDecimalsMax = 6;

}  // namespace

Wide Number::value() const {
  if (unit == 0) return millionths;
  return Wide{millionths} << 10U * (kUnits.find(unit) + 1);
}

std::optional<Number> parse_number(std::string_view text) {
  Number number;
  if (!text.empty() && kUnits.find(ascii::to_upper(text.back())) != std::string_view::npos) {
    number.unit = ascii::to_upper(text.back());
    text.remove_suffix(1);
  }
  const std::size_t dot = text.find('.');
  const auto whole = parse_whole<std::uint64_t>(text.substr(0, dot), 0, kNumberMax);
  if (!whole) return std::nullopt;
  number.millionths = *whole * kMillion;
  if (dot == std::string_view::npos) return number;
  std::string decimals(text.substr(dot + 1));
  if (decimals.empty() || decimals.size() > kDecimalsMax) return std::nullopt;
  decimals.resize(kDecimalsMax, '0');
  const auto part = parse_whole<std::uint64_t>(decimals);
  if (!part) return std::nullopt;
  number.millionths += *part;
  return number;
}

std::string to_string(const Number& number) {
  std::string text = fmt::format("{}", number.whole());
  if (!number.is_whole()) {
    text += fmt::format(".{:06}", number.millionths % kMillion);
    text.erase(text.find_last_not_of('0') + 1);
  }
  if (number.unit != 0) text += number.unit;
  return text;
}

namespace {

/// A value as it is read again.
std::string quoted(const std::string& value) {
  const bool plain = !value.empty() && !is_keyword(value) &&
                     value.find_first_of(" \t\n\v\f\r,()[]\"") == std::string::npos;
  return plain ? value : '"' + value + '"';
}

std::string names_text(const Atom& atom) {
  if (!atom.file.empty()) return quoted(atom.file);
  // After a name that nobody knows, only the quotation says that a value to compare comes.
  if (!atom.is_in && features::find_name(atom.name) == nullptr)
    return '"' + atom.entries.front() + '"';
  std::string out;
  for (const std::string& entry : atom.entries) out += (out.empty() ? "" : ", ") + quoted(entry);
  return atom.is_in ? '[' + out + ']' : out;
}

std::string value_text(const Atom& atom) {
  switch (atom.kind) {
    case Atom::Kind::kShare:
      return fmt::format("{}% of {}", to_string(atom.number), to_string(atom.of));
    case Atom::Kind::kUsual:
      return fmt::format("{}x usual", to_string(atom.number));
    case Atom::Kind::kNames:
      return names_text(atom);
    case Atom::Kind::kFeature:
    case Atom::Kind::kCount:
    case Atom::Kind::kName:
      break;
  }
  return atom.word.empty() ? to_string(atom.number) : atom.word;
}

void print(const Condition& condition, std::string& out);

/// In brackets, but for a condition that binds tighter.
void print_part(const Condition& part, Condition::Kind around, std::string& out) {
  const bool tighter = part.kind == Condition::Kind::kAtom ||
                       (around != Condition::Kind::kNot && part.kind == Condition::Kind::kNot) ||
                       (around == Condition::Kind::kOr && part.kind == Condition::Kind::kAnd);
  if (!tighter) out += '(';
  print(part, out);
  if (!tighter) out += ')';
}

void print(const Condition& condition, std::string& out) {
  if (condition.kind == Condition::Kind::kAtom) {
    out += to_string(condition.atom);
    return;
  }
  if (condition.kind == Condition::Kind::kNot) out += "not ";
  for (std::size_t i = 0; i < condition.parts.size(); ++i) {
    if (i > 0) out += condition.kind == Condition::Kind::kAnd ? " and " : " or ";
    print_part(condition.parts[i], condition.kind, out);
  }
}

}  // namespace

std::string_view to_string(Operator op) {
  constexpr std::array<std::string_view, 6> kTexts = {">=", ">", "<=", "<", "=", "!="};
  return kTexts[static_cast<std::size_t>(op)];
}

std::string to_string(const Condition& condition) {
  std::string out;
  print(condition, out);
  return out;
}

std::string to_string(const Atom& atom) {
  if (atom.kind == Atom::Kind::kName) return atom.name;
  if (atom.is_in) return fmt::format("{} in {}", atom.name, value_text(atom));
  if (atom.kind == Atom::Kind::kFeature || atom.kind == Atom::Kind::kNames)
    return fmt::format("{} {} {}", atom.name, to_string(atom.op), value_text(atom));
  return fmt::format("{}.{} {} {} in {}", atom.name, atom.measure, to_string(atom.op),
                     value_text(atom), storage::counters::to_string(atom.window));
}

std::string threshold_text(const Atom& atom) {
  const bool plain =
      atom.word.empty() ? atom.op == Operator::kAtLeast : atom.op == Operator::kEqual;
  return plain ? value_text(atom) : fmt::format("{} {}", to_string(atom.op), value_text(atom));
}

}  // namespace shingled::milter::policy
