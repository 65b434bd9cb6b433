#include "milter/policy/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>

#include "config/base/ascii.h"
#include "milter/features/feature.h"
#include "milter/policy/atom_code.h"
#include "milter/policy/counter_feature.h"
#include "milter/policy/never_true.h"

namespace shingled::milter::policy {

namespace {

constexpr auto kReserved =
    std::to_array<std::string_view>({"and", "or", "not", "in", "of", "x", "usual", "yes", "no"});

using Part = RuleProblem::Part;
using RuleIndex = std::map<std::string_view, std::size_t>;

RuleIndex index_of(std::span<const Rule> rules) {
  RuleIndex index;
  for (std::size_t i = 0; i < rules.size(); ++i) index.try_emplace(rules[i].name, i);
  return index;
}

/// A rule that a condition names, and where.
struct Reference {
  std::size_t rule = 0;
  Span place;
};

void add_references(const Condition& condition, const RuleIndex& index,
                    std::vector<Reference>& out) {
  for (const Condition& part : condition.parts) add_references(part, index, out);
  if (condition.kind != Condition::Kind::kAtom || condition.atom.kind != Atom::Kind::kName) return;
  const auto found = index.find(condition.atom.name);
  if (found != index.end()) out.push_back({found->second, condition.atom.name_place});
}

class RuleCheck {
 public:
  RuleCheck(std::span<const Rule> rules, const CheckContext& context)
      : rules_(rules), context_(context), index_(index_of(rules)) {
    for (const Rule& rule : rules) {
      names_.push_back(rule.name);
      add_references(rule.condition, index_, references_.emplace_back());
    }
  }

  std::vector<RuleProblem> run();

 private:
  void check_name(std::size_t rule);
  void check_effect(std::size_t rule);
  void check_references(std::size_t rule);
  void find_circles(std::size_t rule, std::vector<std::size_t>& path);
  void find_never_true();
  void problem(std::size_t rule, Part part, ConditionProblem what) {
    problems_.push_back({rule, part, std::move(what)});
  }
  void problem(std::size_t rule, Part part, std::string what) {
    problem(rule, part, ConditionProblem{{}, std::move(what)});
  }

  std::span<const Rule> rules_;
  const CheckContext& context_;
  RuleIndex index_;
  std::vector<std::string> names_;
  std::vector<std::vector<Reference>> references_;  ///< by rule
  std::vector<bool> done_;
  std::vector<RuleProblem> problems_;
};

void RuleCheck::check_name(std::size_t rule) {
  const std::string& name = rules_[rule].name;
  const bool valid = ascii::is_word(name, kRuleNameMax, "_") && !ascii::is_digit(name[0]);
  if (!valid) {
    problem(rule, Part::kName,
            fmt::format("a name has letters, digits and '_', begins with no digit and has at most "
                        "{} characters",
                        kRuleNameMax));
  } else if (std::ranges::find(kReserved, ascii::to_lower(name)) != kReserved.end() ||
             find_feature(name) != nullptr || features::find_name(name) != nullptr ||
             find_piece_type(name) != nullptr) {
    problem(rule, Part::kName, fmt::format("'{}' is a word of the language of rules", name));
  } else if (std::ranges::find(context_.symbols, name) != context_.symbols.end()) {
    problem(rule, Part::kName, fmt::format("'{}' is the symbol of another source", name));
  } else if (index_.at(name) != rule) {
    problem(rule, Part::kName, fmt::format("there is another rule '{}'", name));
  }
}

void RuleCheck::check_effect(std::size_t rule) {
  const Rule& what = rules_[rule];
  if (!what.score && !what.action && !what.at_most)
    problem(rule, Part::kScore, "a rule needs a score, an action or both");
  if (what.score && !std::isfinite(*what.score))
    problem(rule, Part::kScore, "a score is a finite number");
  if (what.action == rules::Action::kPass) {
    problem(rule, Part::kAction,
            "allowed: add_header, tempfail, quarantine, reject, "
            "discard, accept and deliver");
  }
}

void RuleCheck::check_references(std::size_t rule) {
  for (ConditionProblem& found : check_condition(rules_[rule].condition, names_, context_))
    problem(rule, Part::kCondition, std::move(found));
  for (const Reference& reference : references_[rule]) {
    if (rules_[reference.rule].enabled) continue;
    problem(rule, Part::kCondition,
            {reference.place,
             fmt::format("'{}' is not enabled, so it is unknown here", rules_[reference.rule].name),
             "", Severity::kWarning});
  }
}

/// Follows all rules that `rule` needs. `path`: the rules that need it, one after the other.
void RuleCheck::find_circles(std::size_t rule, std::vector<std::size_t>& path) {
  path.push_back(rule);
  for (const Reference& reference : references_[rule]) {
    const auto begin = std::ranges::find(path, reference.rule);
    if (begin != path.end()) {
      std::string circle;
      for (auto at = begin; at != path.end(); ++at) circle += rules_[*at].name + " -> ";
      problem(rule, Part::kCondition,
              {reference.place, fmt::format("these rules need each other: {}{}", circle,
                                            rules_[reference.rule].name)});
    } else if (!done_[reference.rule]) {
      find_circles(reference.rule, path);
    }
  }
  path.pop_back();
  done_[rule] = true;
}

void RuleCheck::find_never_true() {
  const FindRule find = [&](std::string_view name) -> const Condition* {
    const auto found = index_.find(name);
    if (found == index_.end() || !rules_[found->second].enabled) return nullptr;
    return &rules_[found->second].condition;
  };
  for (std::size_t rule = 0; rule < rules_.size(); ++rule) {
    if (auto never = never_true(rules_[rule].condition, find))
      problem(rule, Part::kCondition, *std::move(never));
  }
}

std::vector<RuleProblem> RuleCheck::run() {
  for (std::size_t rule = 0; rule < rules_.size(); ++rule) {
    check_name(rule);
    check_references(rule);
    check_effect(rule);
  }
  done_.assign(rules_.size(), false);
  std::vector<std::size_t> path;
  for (std::size_t rule = 0; rule < rules_.size(); ++rule) {
    if (!done_[rule]) find_circles(rule, path);
  }
  const bool sound = std::ranges::none_of(
      problems_, [](const RuleProblem& found) { return found.problem.is_error(); });
  if (sound) find_never_true();
  std::ranges::stable_sort(problems_, [](const RuleProblem& a, const RuleProblem& b) {
    return std::tuple(a.rule, a.part, a.problem.place.offset) <
           std::tuple(b.rule, b.part, b.problem.place.offset);
  });
  return std::move(problems_);
}

}  // namespace

std::vector<RuleProblem> check_rules(std::span<const Rule> rules, const CheckContext& context) {
  if (rules.size() > kRulesMax) {
    return {{kRulesMax, Part::kName,
             ConditionProblem{{}, fmt::format("at most {} rules are allowed", kRulesMax)}}};
  }
  return RuleCheck(rules, context).run();
}

std::vector<std::vector<std::size_t>> needed_rules(std::span<const Rule> rules) {
  const RuleIndex index = index_of(rules);
  std::vector<std::vector<std::size_t>> out;
  for (const Rule& rule : rules) {
    std::vector<Reference> references;
    add_references(rule.condition, index, references);
    std::vector<std::size_t>& needed = out.emplace_back();
    for (const Reference& reference : references) needed.push_back(reference.rule);
  }
  return out;
}

}  // namespace shingled::milter::policy
