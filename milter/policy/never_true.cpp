#include "milter/policy/never_true.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "milter/features/feature.h"
#include "milter/names/name_entry.h"
#include "milter/policy/atom_code.h"
#include "milter/policy/condition.h"
#include "milter/policy/counter_feature.h"

namespace shingled::milter::policy {

namespace {

constexpr std::size_t kStepsMax = 1000;
constexpr Wide kNoEnd = ~Wide{0};

/// Values from `least` to `most`, without some in between.
struct Interval {
  Wide least = 0;
  Wide most = kNoEnd;
  bool empty = false;
  std::vector<Wide> holes = {};

  void meet(const Interval& other) {
    least = std::max(least, other.least);
    most = std::min(most, other.most);
    empty = empty || other.empty;
    holes.insert(holes.end(), other.holes.begin(), other.holes.end());
    while (!empty && least <= most && std::ranges::find(holes, least) != holes.end()) ++least;
    while (!empty && least < most && std::ranges::find(holes, most) != holes.end()) --most;
    empty = empty || least > most;
  }
};

/// The values that a comparison with `limit` allows.
Interval values_of(Operator op, Wide limit) {
  switch (op) {
    case Operator::kAtLeast:
      return {.least = limit};
    case Operator::kMore:
      return {.least = limit + 1};
    case Operator::kAtMost:
      return {.most = limit};
    case Operator::kLess:
      return {.most = limit == 0 ? 0 : limit - 1, .empty = limit == 0};
    case Operator::kEqual:
      return {.least = limit, .most = limit};
    case Operator::kNotEqual:
      break;
  }
  return {.holes = {limit}};
}

/// The counts that a comparison with `number` allows.
Interval counts_of(Operator op, const Number& number) {
  const Wide whole = number.value() / kMillion;
  if (number.value() % kMillion == 0) return values_of(op, whole);
  switch (op) {
    case Operator::kAtLeast:
    case Operator::kMore:
      return {.least = whole + 1};
    case Operator::kAtMost:
    case Operator::kLess:
      return {.most = whole};
    case Operator::kEqual:
      return {.empty = true};
    case Operator::kNotEqual:
      break;
  }
  return {};
}

Operator opposite(Operator op) {
  switch (op) {
    case Operator::kAtLeast:
      return Operator::kLess;
    case Operator::kMore:
      return Operator::kAtMost;
    case Operator::kAtMost:
      return Operator::kMore;
    case Operator::kLess:
      return Operator::kAtLeast;
    case Operator::kEqual:
      return Operator::kNotEqual;
    case Operator::kNotEqual:
      break;
  }
  return Operator::kEqual;
}

/// What an atom says about one value.
struct Fact {
  std::string subject;     ///< of which value
  bool several = false;    ///< there may be several values, and one must be in the interval
  Interval interval;       ///< of the value; of a share in halves of a millionth of a percent
  Interval bounds = {};    ///< of any such value
  std::string range = {};  ///< the bounds as text
};

/// What is known so far of one value, and of all values with its name.
struct Known {
  Interval all;
  std::vector<Interval> some;
  std::string first;  ///< the atom that was there first
};

struct Goal {
  const Condition* condition = nullptr;
  bool wanted = true;
  std::optional<Span> place = {};  ///< inside another rule: where that rule is named
};

class Search {
 public:
  explicit Search(const FindRule& find_rule) : find_rule_(find_rule) {}

  /// Whether all goals can be met together with what is known.
  bool possible(std::vector<Goal> goals, std::map<std::string, Known> known);

  std::optional<ConditionProblem> conflict;  ///< the first one

 private:
  bool add(const Goal& goal, std::map<std::string, Known>& known);
  bool add(const Fact& fact, const Goal& goal, std::map<std::string, Known>& known);
  std::vector<Fact> facts_of(const Atom& atom, bool wanted);
  std::vector<Fact> facts_of_counter(const Atom& atom, bool wanted);
  std::vector<Fact> facts_of_name(const Atom& atom, Operator op);

  const FindRule& find_rule_;
  std::map<std::string, Wide> words_;  ///< numbers in place of words
  std::size_t steps_ = 0;
};

bool Search::possible(std::vector<Goal> goals, std::map<std::string, Known> known) {
  while (!goals.empty()) {
    if (++steps_ > kStepsMax) return true;
    const Goal goal = goals.back();
    goals.pop_back();
    const Condition& condition = *goal.condition;
    if (condition.kind == Condition::Kind::kAtom) {
      const bool name = condition.atom.kind == Atom::Kind::kName;
      const Condition* const rule = name ? find_rule_(condition.atom.name) : nullptr;
      if (rule != nullptr) {
        goals.push_back({rule, goal.wanted, goal.place ? goal.place : condition.place});
      } else if (!add(goal, known)) {
        return false;
      }
      continue;
    }
    const bool negated = condition.kind == Condition::Kind::kNot;
    const bool wanted = goal.wanted != negated;
    const bool all = negated || (condition.kind == Condition::Kind::kAnd) == goal.wanted;
    if (all) {
      // The first part is looked at first, so that the second is the one that contradicts.
      for (auto part = condition.parts.rbegin(); part != condition.parts.rend(); ++part)
        goals.push_back({&*part, wanted, goal.place});
      continue;
    }
    return std::ranges::any_of(condition.parts, [&](const Condition& part) {
      std::vector<Goal> with = goals;
      with.push_back({&part, wanted, goal.place});
      return possible(std::move(with), known);
    });
  }
  return true;
}

bool Search::add(const Goal& goal, std::map<std::string, Known>& known) {
  const std::vector<Fact> facts = facts_of(goal.condition->atom, goal.wanted);
  return std::ranges::all_of(facts, [&](const Fact& fact) { return add(fact, goal, known); });
}

bool Search::add(const Fact& fact, const Goal& goal, std::map<std::string, Known>& known) {
  const std::string text = (goal.wanted ? "" : "not ") + to_string(goal.condition->atom);
  const Span place = goal.place.value_or(goal.condition->place);
  Interval alone = fact.bounds;
  alone.meet(fact.interval);
  if (alone.empty) {
    if (!conflict) conflict = {place, fmt::format("'{}' can never be true: {}", text, fact.range)};
    return false;
  }
  Known& value = known[fact.subject];
  if (value.first.empty()) value.first = text;
  if (fact.several && goal.wanted) {
    value.some.push_back(alone);
  } else {
    value.all.meet(alone);
  }
  bool empty = value.all.empty;
  for (Interval some : value.some) {
    some.meet(value.all);
    empty = empty || some.empty;
  }
  if (empty && !conflict) {
    conflict = {place, fmt::format("'{}' can never be true together with '{}'", text, value.first)};
  }
  return !empty;
}

std::vector<Fact> Search::facts_of(const Atom& atom, bool wanted) {
  Fact fact;
  fact.subject = atom.name;
  const Operator op = wanted ? atom.op : opposite(atom.op);
  if (atom.kind == Atom::Kind::kName) {
    const Wide is = wanted ? 1 : 0;
    fact.interval = {.least = is, .most = is};
    return {fact};
  }
  if (atom.kind == Atom::Kind::kNames) return facts_of_name(atom, op);
  if (atom.kind != Atom::Kind::kFeature) return facts_of_counter(atom, wanted);
  const FeatureRow* const row = find_feature(atom.name);
  if (row == nullptr) return {};
  if (row->type == FeatureRow::Type::kNumber) {
    fact.interval = counts_of(op, atom.number);
    fact.range = "it is 0 or more";
    if (row->most) {
      fact.bounds.most = *row->most;
      fact.range = fmt::format("it is 0 to {}", *row->most);
    }
  } else if (row->type == FeatureRow::Type::kYesNo) {
    fact.interval = values_of(op, atom.word == "yes" ? 1 : 0);
    fact.bounds.most = 1;
  } else {
    fact.interval = values_of(op, words_.try_emplace(atom.word, words_.size()).first->second);
  }
  return {fact};
}

/// Only a name with one value, and an entry that only one value meets.
std::vector<Fact> Search::facts_of_name(const Atom& atom, Operator op) {
  const features::NameRow* const row = features::find_name(atom.name);
  if (row == nullptr || row->several || atom.is_in || atom.entries.size() != 1) return {};
  using Form = features::NameRow::Form;
  const std::string& entry = atom.entries.front();
  if (row->form == Form::kAddress || entry.starts_with('.') ||
      (row->form == Form::kNetwork && entry.find('/') != std::string::npos))
    return {};
  Fact fact;
  fact.subject = atom.name;
  const std::string value = names::name_form(row->form, entry);
  fact.interval = values_of(op, words_.try_emplace(value, words_.size()).first->second);
  return {fact};
}

std::vector<Fact> Search::facts_of_counter(const Atom& atom, bool wanted) {
  const auto feature = find_counter_feature(atom.name, atom.measure);
  if (!feature || atom.kind == Atom::Kind::kUsual) return {};
  const std::string window = " in " + storage::counters::to_string(atom.window);
  Fact fact;
  fact.subject = to_string(*feature) + window;
  fact.several = has_several(feature->type);
  fact.range = "it is 0 or more";
  if (atom.kind == Atom::Kind::kCount) {
    fact.interval = counts_of(wanted ? atom.op : opposite(atom.op), atom.number);
    return {fact};
  }
  if (!wanted) return {};  // the share is another, or there are too few messages
  const auto whole = whole_of(*feature);
  if (!whole) return {};
  Fact count = fact;
  count.subject = to_string(CounterFeature{feature->type, *whole}) + window;
  count.interval = {.least = atom.of.whole()};
  fact.subject = "share " + fact.subject;
  fact.interval = values_of(atom.op, atom.number.value() * 2);
  fact.range = "a share is 0% or more";
  const bool part = feature->measure == Measure::kSpam || feature->measure == Measure::kHam;
  if (part) {
    fact.bounds.most = Wide{100} * kMillion * 2;
    fact.range = "a share is 0% to 100%";
  }
  return {count, fact};
}

}  // namespace

std::optional<ConditionProblem> never_true(const Condition& condition, const FindRule& find_rule) {
  Search search(find_rule);
  if (search.possible({{&condition}}, {})) return std::nullopt;
  return search.conflict;
}

}  // namespace shingled::milter::policy
