#include "milter/policy/compile_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "milter/policy/condition.h"
#include "milter/policy/counter_feature.h"

namespace shingled::milter::policy {

namespace {

using storage::counters::Period;
using Node = CompiledRules::Node;

constexpr Window day_before(std::uint32_t days) { return {Period::Unit::kDay, 1, days}; }

std::uint32_t seconds_of(const Window& window) {
  const std::uint32_t slots =
      window.unit == Period::Unit::kDay ? storage::counters::kSlotsPerDay : 1;
  return window.count * slots * storage::counters::kSlotSeconds;
}

/// Whether a number is what people said, which is kept longer than what was counted.
bool asks_people(const CounterFeature& feature, const Window& window) {
  return is_said(feature.measure) || is_long(window);
}

class RuleCompiler {
 public:
  explicit RuleCompiler(std::vector<Rule> rules) {
    out_.rules = std::move(rules);
    for (std::size_t i = 0; i < out_.rules.size(); ++i)
      rule_places_.emplace(out_.rules[i].name, static_cast<std::uint32_t>(i));
  }

  CompiledRules run() {
    for (const Rule& rule : out_.rules) {
      if (rule.enabled) collect_needs(rule.condition);
    }
    for (const auto& [type, need] : windows_) {
      CounterNeed& all = out_.needs.emplace_back(CounterNeed{type, need.windows, need.said});
      for (std::uint32_t day = 1; need.usual && day <= kUsualDays; ++day)
        all.windows.push_back(day_before(day));
    }
    for (const Rule& rule : out_.rules)
      out_.roots.push_back(rule.enabled ? node_of(rule.condition) : Node{});
    put_in_order();
    return std::move(out_);
  }

 private:
  struct Windows {
    std::vector<Window> windows;
    bool usual = false;
    bool said = false;
  };

  void collect_needs(const Condition& condition);
  void put_in_order();
  Node node_of(const Condition& condition);
  Node node_of_name(const Atom& atom);
  Node node_of_atom(const Atom& atom);
  AtomCode code_of(const Atom& atom);
  AtomCode code_of_names(const Atom& atom);
  void locate(const Atom& atom, const CounterFeature& feature, AtomCode& code);

  CompiledRules out_;
  std::map<std::string, std::uint32_t, std::less<>> rule_places_;
  std::map<std::string, std::uint32_t> atom_places_;
  std::map<std::string, std::uint32_t> symbol_places_;
  std::map<PieceType, Windows> windows_;
};

void RuleCompiler::collect_needs(const Condition& condition) {
  for (const Condition& part : condition.parts) collect_needs(part);
  const Atom& atom = condition.atom;
  if (condition.kind != Condition::Kind::kAtom || atom.measure.empty()) return;
  const auto feature = find_counter_feature(atom.name, atom.measure);
  SHINGLED_ASSERT(feature.has_value());
  Windows& need = windows_[feature->type];
  if (std::ranges::find(need.windows, atom.window) == need.windows.end())
    need.windows.push_back(atom.window);
  need.usual = need.usual || atom.kind == Atom::Kind::kUsual;
  need.said = need.said || asks_people(*feature, atom.window);
}

/// Rules whose needs are in the list already are added until all are. There is no circle.
void RuleCompiler::put_in_order() {
  const std::vector<std::vector<std::size_t>> needed = needed_rules(out_.rules);
  std::vector<std::vector<std::uint32_t>> needed_by(needed.size());
  std::vector<std::size_t> missing(needed.size());
  for (std::uint32_t rule = 0; rule < needed.size(); ++rule) {
    missing[rule] = needed[rule].size();
    for (const std::size_t other : needed[rule]) needed_by[other].push_back(rule);
  }
  std::vector<std::uint32_t> ready;
  for (std::uint32_t rule = 0; rule < needed.size(); ++rule) {
    if (missing[rule] == 0) ready.push_back(rule);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const std::uint32_t rule : needed_by[ready[i]]) {
      if (--missing[rule] == 0) ready.push_back(rule);
    }
  }
  SHINGLED_ASSERT(ready.size() == needed.size());
  for (const std::uint32_t rule : ready) {
    if (out_.rules[rule].enabled) out_.order.push_back(rule);
  }
}

Node RuleCompiler::node_of(const Condition& condition) {
  switch (condition.kind) {
    case Condition::Kind::kAtom:
      return condition.atom.kind == Atom::Kind::kName ? node_of_name(condition.atom)
                                                      : node_of_atom(condition.atom);
    case Condition::Kind::kNot:
    case Condition::Kind::kAnd:
    case Condition::Kind::kOr:
      break;
  }
  // The parts lie side by side; their own parts come after them.
  const std::size_t first = out_.nodes.size();
  out_.nodes.resize(first + condition.parts.size());
  for (std::size_t i = 0; i < condition.parts.size(); ++i) {
    const Node part = node_of(condition.parts[i]);
    out_.nodes[first + i] = part;
  }
  const auto kind = condition.kind == Condition::Kind::kNot   ? Node::Kind::kNot
                    : condition.kind == Condition::Kind::kAnd ? Node::Kind::kAnd
                                                              : Node::Kind::kOr;
  return {kind, static_cast<std::uint32_t>(first),
          static_cast<std::uint32_t>(condition.parts.size())};
}

Node RuleCompiler::node_of_name(const Atom& atom) {
  if (find_feature(atom.name) != nullptr) {
    Atom is_yes = atom;
    is_yes.kind = Atom::Kind::kFeature;
    is_yes.op = Operator::kEqual;
    is_yes.word = "yes";
    return node_of_atom(is_yes);
  }
  if (const auto rule = rule_places_.find(atom.name); rule != rule_places_.end()) {
    const bool enabled = out_.rules[rule->second].enabled;
    return {enabled ? Node::Kind::kRule : Node::Kind::kUnknown, rule->second, 0};
  }
  const auto next = static_cast<std::uint32_t>(out_.symbols.size());
  const auto [place, is_new] = symbol_places_.emplace(atom.name, next);
  if (is_new) out_.symbols.push_back(atom.name);
  return {Node::Kind::kSymbol, place->second, 0};
}

Node RuleCompiler::node_of_atom(const Atom& atom) {
  const auto next = static_cast<std::uint32_t>(out_.atoms.size());
  const auto [place, is_new] = atom_places_.emplace(to_string(atom), next);
  if (is_new) {
    out_.atoms.push_back(code_of(atom));
    out_.atom_texts.push_back(atom);
  }
  return {Node::Kind::kAtom, place->second, 0};
}

AtomCode RuleCompiler::code_of(const Atom& atom) {
  AtomCode code;
  code.op = atom.op;
  code.limit = atom.number.value();
  if (atom.kind == Atom::Kind::kFeature) {
    const FeatureRow* const row = find_feature(atom.name);
    SHINGLED_ASSERT(row != nullptr);
    code.feature = row->feature;
    if (row->type == FeatureRow::Type::kYesNo) code.limit = atom.word == "yes" ? kMillion : 0;
    if (row->type == FeatureRow::Type::kWord) {
      code.kind = AtomCode::Kind::kWord;
      code.word = atom.word;
    }
    return code;
  }
  if (atom.kind == Atom::Kind::kNames) return code_of_names(atom);
  const auto feature = find_counter_feature(atom.name, atom.measure);
  SHINGLED_ASSERT(feature.has_value());
  code.kind = AtomCode::Kind::kCount;
  code.measure = feature->measure;
  code.said = asks_people(*feature, atom.window);
  if (atom.kind == Atom::Kind::kShare) {
    code.kind = AtomCode::Kind::kShare;
    code.whole = whole_of(*feature).value_or(feature->measure);
    code.whole_min = atom.of.whole();
  }
  if (atom.kind == Atom::Kind::kUsual) code.kind = AtomCode::Kind::kUsual;
  locate(atom, *feature, code);
  return code;
}

AtomCode RuleCompiler::code_of_names(const Atom& atom) {
  const features::NameRow* const row = features::find_name(atom.name);
  SHINGLED_ASSERT(row != nullptr);
  AtomCode code;
  code.kind = AtomCode::Kind::kName;
  code.op = atom.op;
  code.name = row->name;
  code.in_file = !atom.file.empty();
  if (code.in_file) {
    const names::ListFile file{atom.file, {names::ListForm::Kind::kOne, row->name}};
    const auto known = std::ranges::find(out_.files, file);
    code.list = static_cast<std::uint32_t>(known - out_.files.begin());
    if (known == out_.files.end()) out_.files.push_back(file);
    return code;
  }
  std::vector<names::NameEntry> entries;
  for (const std::string& text : atom.entries) {
    auto entry = names::read_name_entry(*row, text);
    SHINGLED_ASSERT(entry.has_value());
    entries.push_back(*std::move(entry));
  }
  code.list = static_cast<std::uint32_t>(out_.lists.size());
  out_.lists.push_back(std::make_shared<const names::NameList>(names::NameList::of(*row, entries)));
  return code;
}

void RuleCompiler::locate(const Atom& atom, const CounterFeature& feature, AtomCode& code) {
  const auto need = std::ranges::find(out_.needs, feature.type, &CounterNeed::type);
  SHINGLED_ASSERT(need != out_.needs.end());
  const auto window = std::ranges::find(need->windows, atom.window);
  code.need = static_cast<std::uint32_t>(need - out_.needs.begin());
  code.window = static_cast<std::uint32_t>(window - need->windows.begin());
  const auto yesterday = std::ranges::find(need->windows, day_before(1));
  code.usual = static_cast<std::uint32_t>(yesterday - need->windows.begin());
  code.window_seconds = seconds_of(atom.window);
}

}  // namespace

Result<CompiledRules> compile_rules(std::vector<Rule> rules, const CheckContext& context) {
  for (const RuleProblem& found : check_rules(rules, context)) {
    if (!found.problem.is_error()) continue;
    const std::string rule = found.rule < rules.size() ? rules[found.rule].name + ": " : "";
    return Error{ErrorCode::kInvalid, rule + found.problem.to_string()};
  }
  return RuleCompiler(std::move(rules)).run();
}

}  // namespace shingled::milter::policy
