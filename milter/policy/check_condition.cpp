#include "milter/policy/check_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/words/nearest_word.h"
#include "milter/features/feature.h"
#include "milter/names/name_entry.h"
#include "milter/policy/atom_code.h"
#include "milter/policy/counter_feature.h"

namespace shingled::milter::policy {

namespace {

/// "a, b and c"
std::string listed(std::span<const std::string> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  return out;
}

bool has(std::span<const std::string> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class ConditionCheck {
 public:
  ConditionCheck(std::span<const std::string> rules, const CheckContext& context)
      : rules_(rules), context_(context) {}

  void check(const Condition& condition) {
    for (const Condition& part : condition.parts) check(part);
    if (condition.kind != Condition::Kind::kAtom) return;
    const Atom& atom = condition.atom;
    if (atom.kind == Atom::Kind::kName) {
      check_name(atom);
    } else if (atom.kind == Atom::Kind::kFeature) {
      check_feature(atom);
    } else if (atom.kind == Atom::Kind::kNames) {
      check_names(atom);
    } else {
      check_counter(atom);
    }
  }

  std::vector<ConditionProblem> take() { return std::move(problems_); }

 private:
  void problem(const Span& place, std::string what, std::string hint = {}) {
    problems_.push_back({place, std::move(what), std::move(hint)});
  }
  void warn(const Span& place, std::string what) {
    problems_.push_back({place, std::move(what), "", Severity::kWarning});
  }

  [[nodiscard]] bool is_symbol(std::string_view name) const {
    return has(rules_, name) || has(context_.symbols, name);
  }

  void check_name(const Atom& atom);
  void check_unknown_name(const Atom& atom, std::string_view what);
  void check_feature(const Atom& atom);
  void check_number(const Atom& atom, std::string_view name, bool in_bytes);
  void check_yes_no(const Atom& atom);
  void check_word(const Atom& atom, const FeatureRow& row);
  void check_names(const Atom& atom);
  void check_proof(const Atom& atom, features::Name name);
  void check_counter(const Atom& atom);
  void check_counter_name(const Atom& atom);
  void check_present(const Span& place, std::string_view name);

  std::span<const std::string> rules_;
  const CheckContext& context_;
  std::vector<ConditionProblem> problems_;
};

void ConditionCheck::check_present(const Span& place, std::string_view name) {
  for (const MissingSource& missing : context_.missing) {
    if (missing.name == name)
      warn(place, fmt::format("'{}' is always unknown: {}", name, missing.why));
  }
}

void ConditionCheck::check_name(const Atom& atom) {
  const FeatureRow* const row = find_feature(atom.name);
  if (row == nullptr) {
    if (const features::NameRow* const name = features::find_name(atom.name)) {
      const bool counter = has(counter_names(), atom.name);
      problem(
          atom.name_place,
          fmt::format("'{0}' needs a comparison, such as {0} = {1}{2}", atom.name, name->example,
                      counter ? fmt::format("; as a counter a measure, such as {}.{}", atom.name,
                                            measure_names(atom.name).front())
                              : ""));
      return;
    }
    if (!is_symbol(atom.name)) check_unknown_name(atom, "symbol");
    return;
  }
  if (row->type != FeatureRow::Type::kYesNo) {
    problem(atom.name_place,
            fmt::format(
                "'{}' is a {} and needs a comparison, such as {}", atom.name, to_string(row->type),
                row->type == FeatureRow::Type::kNumber
                    ? fmt::format("{} >= 10", atom.name)
                    : fmt::format("{} = {}", atom.name, row->words.empty() ? "en" : "fail")));
  }
  check_present(atom.name_place, atom.name);
}

void ConditionCheck::check_unknown_name(const Atom& atom, std::string_view what) {
  if (has(counter_names(), atom.name)) {
    problem(atom.name_place, fmt::format("'{0}' is a counter and needs a measure, such as {0}.{1}",
                                         atom.name, measure_names(atom.name).front()));
    return;
  }
  std::vector<std::string> known(rules_.begin(), rules_.end());
  known.insert(known.end(), context_.symbols.begin(), context_.symbols.end());
  for (const FeatureRow& row : features::features()) known.emplace_back(row.name);
  for (const features::NameRow& row : features::names()) known.emplace_back(row.word);
  known.insert(known.end(), counter_names().begin(), counter_names().end());
  problem(atom.name_place, fmt::format("unknown {} '{}'", what, atom.name),
          config::nearest_word(atom.name, known).value_or(""));
}

void ConditionCheck::check_feature(const Atom& atom) {
  const FeatureRow* const row = find_feature(atom.name);
  if (row == nullptr) {
    if (is_symbol(atom.name)) {
      problem(atom.name_place,
              fmt::format("'{}' is a symbol: it is found or not, and has no value", atom.name));
    } else {
      check_unknown_name(atom, "feature");
    }
    return;
  }
  switch (row->type) {
    case FeatureRow::Type::kNumber:
      if (atom.word.empty()) {
        check_number(atom, atom.name, row->unit == "bytes");
      } else {
        problem(atom.value_place, fmt::format("'{}' is not a number", atom.word));
      }
      break;
    case FeatureRow::Type::kYesNo:
      check_yes_no(atom);
      break;
    case FeatureRow::Type::kWord:
      check_word(atom, *row);
      break;
  }
  check_present(atom.name_place, atom.name);
}

void ConditionCheck::check_proof(const Atom& atom, features::Name name) {
  if (context_.proofs) return;
  using features::Name;
  if (name == Name::kDkimDomain) {
    warn(atom.name_place,
         fmt::format("'{}' is always unknown: counters.authserv_ids is empty", atom.name));
  } else if (name == Name::kFrom || name == Name::kFromDomain || name == Name::kProvedListId) {
    warn(atom.name_place, fmt::format("'{}' is unknown but for senders who have logged in: "
                                      "counters.authserv_ids is empty",
                                      atom.name));
  }
}

void ConditionCheck::check_names(const Atom& atom) {
  const features::NameRow* const row = features::find_name(atom.name);
  if (row == nullptr) {
    std::vector<std::string> known;
    for (const features::NameRow& each : features::names()) known.emplace_back(each.word);
    problem(atom.name_place,
            fmt::format("'{}' has no names to compare; allowed: {}", atom.name, listed(known)),
            config::nearest_word(atom.name, known).value_or(""));
    return;
  }
  if (atom.op != Operator::kEqual && atom.op != Operator::kNotEqual)
    problem(atom.name_place,
            fmt::format("'{}' is not a number: only =, != and in are allowed", atom.name));
  for (std::size_t i = 0; i < atom.entries.size(); ++i) {
    const auto entry = names::read_name_entry(*row, atom.entries[i]);
    if (!entry)
      problem(i < atom.entry_places.size() ? atom.entry_places[i] : atom.name_place,
              entry.error().message);
  }
  if (!atom.file.empty() && !atom.file.starts_with('/'))
    problem(atom.entry_places.empty() ? atom.name_place : atom.entry_places.front(),
            "the folder of this file is not known here; allowed: a path that begins with /");
  check_proof(atom, row->name);
}

void ConditionCheck::check_number(const Atom& atom, std::string_view name, bool in_bytes) {
  if (in_bytes) return;
  if (atom.number.unit != 0) {
    problem(atom.value_place, fmt::format("'{}' is not in bytes: no unit is allowed", name));
  } else if (!atom.number.is_whole()) {
    problem(atom.value_place, fmt::format("'{}' is a whole number", name));
  }
}

void ConditionCheck::check_yes_no(const Atom& atom) {
  const bool equal = atom.op == Operator::kEqual || atom.op == Operator::kNotEqual;
  const bool yes = atom.word == "true" || atom.word == "on" || atom.word == "Yes" ||
                   (atom.word.empty() && atom.number.whole() == 1);
  if (!equal) {
    problem(atom.name_place,
            fmt::format("'{}' is yes or no: write {} or not {}", atom.name, atom.name, atom.name));
  } else if (atom.word != "yes" && atom.word != "no") {
    const bool no = atom.word == "false" || atom.word == "off" || atom.word == "No" ||
                    (atom.word.empty() && atom.number.millionths == 0);
    problem(atom.value_place, fmt::format("'{}' is yes or no", atom.name),
            yes ? "yes" : (no ? "no" : ""));
  }
}

void ConditionCheck::check_word(const Atom& atom, const FeatureRow& row) {
  const std::vector<std::string> words(row.words.begin(), row.words.end());
  if (atom.op != Operator::kEqual && atom.op != Operator::kNotEqual) {
    problem(atom.name_place, fmt::format("'{}' is a word: only = and != are allowed", atom.name));
  } else if (atom.word.empty()) {
    problem(atom.value_place, fmt::format("'{}' is a word, not a number", atom.name));
  } else if (!words.empty() && !has(words, atom.word)) {
    problem(
        atom.value_place,
        fmt::format("'{}' is not a result of {}; allowed: {}", atom.word, atom.name, listed(words)),
        config::nearest_word(atom.word, words).value_or(""));
  }
}

void ConditionCheck::check_counter(const Atom& atom) {
  const auto feature = find_counter_feature(atom.name, atom.measure);
  if (!feature) {
    check_counter_name(atom);
    return;
  }
  const Span whole{atom.name_place.offset, atom.name.size() + 1 + atom.measure.size()};
  if (!context_.counters) {
    problem(whole,
            fmt::format("'{}' is always unknown: counters.enabled is no", to_string(*feature)));
    return;
  }
  const bool in_bytes = unit_of(*feature) == "bytes";
  if (atom.kind == Atom::Kind::kCount) check_number(atom, to_string(*feature), in_bytes);
  if (atom.kind == Atom::Kind::kShare && is_long(atom.window) && !is_own(feature->measure))
    problem(whole,
            fmt::format(
                "'{}' is not a share over more than {} days: nothing else is kept for this long",
                to_string(*feature), storage::counters::kWindowDaysMax));
  if (atom.kind == Atom::Kind::kUsual && is_said(feature->measure))
    problem(whole, fmt::format("'{}' has no usual: people are counted, not messages",
                               to_string(*feature)));
  if (atom.kind == Atom::Kind::kShare && !whole_of(*feature)) {
    problem(whole, fmt::format("'{}' is not a share: only spam, ham, complaint and failed are "
                               "shares of mass, and rescue of spam, and own_complaint and "
                               "own_rescue of the recipients",
                               to_string(*feature)));
  }
  if (atom.kind != Atom::Kind::kCount && atom.number.unit != 0)
    problem(atom.value_place, "a percentage or a factor has no unit");
  if (atom.kind == Atom::Kind::kUsual &&
      (atom.number.millionths == 0 || atom.number.millionths > kFactorMax * kMillion)) {
    problem(atom.value_place, fmt::format("a factor is more than 0 and at most {}", kFactorMax));
  }
  if (atom.of.unit != 0) problem(atom.of_place, "the count of a share has no unit");
  check_present(whole, atom.name);
  check_present(whole, to_string(*feature));
}

/// Says which half of the name does not exist.
void ConditionCheck::check_counter_name(const Atom& atom) {
  const PieceTypeRow* const row = find_piece_type(atom.name);
  for (const CounterFeature& feature : counter_features()) {
    if (row != nullptr && row->kind == PieceTypeRow::Kind::kUnique && feature.type == row->type) {
      problem({atom.name_place.offset, atom.name.size() + 1 + atom.measure.size()},
              fmt::format("'{}' is not a counter of its own", atom.name), to_string(feature));
      return;
    }
  }
  if (row != nullptr && !has(counter_names(), atom.name)) {
    problem(atom.name_place,
            fmt::format("'{}' is counted for reports: a message has no reporter", atom.name));
    return;
  }
  if (has(counter_names(), atom.name)) {
    const std::vector<std::string> measures = measure_names(atom.name);
    problem(atom.measure_place,
            fmt::format("'{}' has no measure '{}'; allowed: {}", atom.name, atom.measure,
                        listed(measures)),
            config::nearest_word(atom.measure, measures).value_or(""));
    return;
  }
  if (find_feature(atom.name) != nullptr) {
    problem(atom.name_place,
            fmt::format("'{0}' is a feature and has no measures: write {0} alone", atom.name),
            config::nearest_word(atom.name, counter_names()).value_or(""));
    return;
  }
  problem(atom.name_place, fmt::format("unknown counter '{}'", atom.name),
          config::nearest_word(atom.name, counter_names()).value_or(""));
}

}  // namespace

std::vector<ConditionProblem> check_condition(const Condition& condition,
                                              std::span<const std::string> rules,
                                              const CheckContext& context) {
  ConditionCheck check(rules, context);
  check.check(condition);
  return check.take();
}

}  // namespace shingled::milter::policy
