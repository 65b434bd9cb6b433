#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "milter/policy/condition.h"

namespace shingled::milter::policy::testing {

template <typename T>
T any_of(std::vector<T> values) {
  return *rc::gen::elementOf(std::move(values));
}

inline Number small_number(std::uint64_t most) {
  return {*rc::gen::inRange<std::uint64_t>(0, most + 1) * kMillion, 0};
}

inline Operator any_operator() { return static_cast<Operator>(*rc::gen::inRange(0, 6)); }

inline Window any_window() {
  using Unit = storage::counters::Period::Unit;
  return any_of<Window>(
      {{Unit::kSlot, 1, 0}, {Unit::kSlot, 6, 0}, {Unit::kDay, 1, 0}, {Unit::kDay, 14, 0}});
}

inline Atom any_feature() {
  Atom atom;
  atom.kind = Atom::Kind::kFeature;
  atom.name = any_of<std::string>({"words", "hour", "spf", "html"});
  if (atom.name == "spf" || atom.name == "html") {
    atom.op = any_of<Operator>({Operator::kEqual, Operator::kNotEqual});
    atom.word = atom.name == "spf" ? any_of<std::string>({"pass", "fail", "none"})
                                   : any_of<std::string>({"yes", "no"});
  } else {
    atom.op = any_operator();
    atom.number = small_number(4);
  }
  return atom;
}

inline Atom any_counter() {
  using Name = std::pair<std::string, std::string>;
  Atom atom;
  atom.kind = static_cast<Atom::Kind>(*rc::gen::inRange(2, 5));
  atom.op = any_operator();
  atom.window = any_window();
  std::vector<Name> names = {{"from", "spam"}, {"link_domain", "spam"}, {"link_domain", "rescue"}};
  if (atom.kind == Atom::Kind::kShare) {
    atom.number = small_number(100);
    atom.of = small_number(8);
    atom.of.millionths += kMillion;
  } else {
    names.insert(names.end(), {{"user", "mass"}, {"sender", "unique_recipients"}});
    atom.number = small_number(8);
    if (atom.kind == Atom::Kind::kUsual) atom.number.millionths += kMillion / 2;
  }
  const Name name = any_of(names);
  atom.name = name.first;
  atom.measure = name.second;
  return atom;
}

/// A condition about few values, so that its parts meet. `names`: symbols, rules and features that
/// are yes or no.
inline Condition any_condition(const std::vector<std::string>& names, int depth) {
  Condition condition;
  const int kind = *rc::gen::inRange(0, depth > 0 ? 7 : 3);
  if (kind == 0) {
    condition.atom.name = any_of(names);
  } else if (kind == 1) {
    condition.atom = any_feature();
  } else if (kind == 2) {
    condition.atom = any_counter();
  } else {
    condition.kind = kind == 3   ? Condition::Kind::kNot
                     : kind <= 4 ? Condition::Kind::kAnd
                                 : Condition::Kind::kOr;
    const int parts = kind == 3 ? 1 : *rc::gen::inRange(2, 4);
    for (int i = 0; i < parts; ++i) condition.parts.push_back(any_condition(names, depth - 1));
  }
  return condition;
}

}  // namespace shingled::milter::policy::testing
