#include "milter/policy/policy_rules.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "config/base/assert.h"
#include "config/document/diagnostics.h"
#include "config/promotions/promoted_rules.h"
#include "milter/names/list_evidence.h"
#include "milter/policy/parse_condition.h"
#include "milter/policy/rule.h"

namespace shingled::milter::policy {

namespace {

using config::Problem;

/// Stands for a condition that cannot be read. Nobody can write such a name.
constexpr const char* kUnreadable = " ";
constexpr std::size_t kProblemsMax = config::Diagnostics::kProblemsMax;

/// Files of names begin at the folder of the file that names them.
void complete_paths(Condition& condition, const std::string& named_in) {
  for (Condition& part : condition.parts) complete_paths(part, named_in);
  std::string& file = condition.atom.file;
  if (!file.starts_with("./") || !named_in.starts_with('/')) return;
  file = named_in.substr(0, named_in.rfind('/') + 1) + file.substr(2);
}

/// `condition` is that of the rule, read.
Rule rule_of(const PolicyRuleOptions& options, Condition condition) {
  Rule out{.name = options.name, .condition = std::move(condition)};
  out.score = options.score;
  if (options.action == PolicyAction::kAccept) {
    out.at_most = rules::Action::kPass;
  } else if (options.action == PolicyAction::kDeliver) {
    out.at_most = rules::Action::kAddHeader;
  } else if (options.action) {
    out.action = rules::action_of(*options.action);
  }
  out.reason = options.reason;
  out.remedy = options.remedy;
  out.shadow = config::is_in_shadow(options);
  out.enabled = options.enabled;
  return out;
}

PolicyPlace place_of(const PolicyRuleOptions& rule, const RuleProblem& found) {
  switch (found.part) {
    case RuleProblem::Part::kCondition:
      return rule.condition_text.at(found.problem.place.offset);
    case RuleProblem::Part::kScore:
      return rule.score_place.line > 0 ? rule.score_place : rule.place;
    case RuleProblem::Part::kAction:
      return rule.action_place.line > 0 ? rule.action_place : rule.place;
    case RuleProblem::Part::kName:
      break;
  }
  return rule.place;
}

/// Collects problems, so many that a person reads them.
class Report {
 public:
  explicit Report(const PolicyOptions& options) : options_(options) {}

  void add(const RuleProblem& found) {
    has_error_ = has_error_ || found.problem.is_error();
    if (problems_.size() >= kProblemsMax) {
      ++dropped_;
      return;
    }
    if (found.rule >= options_.rules.size()) {
      problems_.push_back({first_file(), 0, 0, "policy.rules", found.problem.to_string()});
      return;
    }
    const PolicyRuleOptions& rule = options_.rules[found.rule];
    const PolicyPlace place = place_of(rule, found);
    problems_.push_back({place.file, place.line, place.column,
                         "rule " + rule.name.substr(0, kRuleNameMax), found.problem.to_string(),
                         found.problem.severity});
  }
  [[nodiscard]] bool has_error() const { return has_error_; }
  [[nodiscard]] std::vector<Problem> take() {
    std::ranges::stable_sort(problems_, [](const Problem& a, const Problem& b) {
      return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
    });
    if (dropped_ > 0) {
      problems_.push_back({first_file(), 0, 0, "policy.rules",
                           "and " + std::to_string(dropped_) + " more problems",
                           has_error_ ? Severity::kError : Severity::kWarning});
    }
    return std::move(problems_);
  }

 private:
  [[nodiscard]] std::string first_file() const { return options_.rules.front().place.file; }

  const PolicyOptions& options_;
  std::vector<Problem> problems_;
  std::size_t dropped_ = 0;
  bool has_error_ = false;
};

void add_symbols(const Settings& settings, std::vector<std::string>& out) {
  for (const RuleOptions& rule : settings.rules) {
    if (!rule.skip_unknown) out.push_back(rule.symbol);
    for (const FlagOptions& flag : rule.flags.all()) out.push_back(flag.symbol);
  }
  for (const SimilarList& list : settings.similar.lists) out.push_back(list.symbol);
  if (!settings.ratelimit.symbol.empty()) out.push_back(settings.ratelimit.symbol);
  for (const std::string_view symbol :
       {names::kAllowSymbol, names::kDeliverSymbol, names::kBlockSymbol})
    out.emplace_back(symbol);
}

}  // namespace

CheckContext check_context(const Settings& settings) {
  CheckContext out;
  add_symbols(settings, out.symbols);
  std::ranges::sort(out.symbols);
  const auto last = std::unique(out.symbols.begin(), out.symbols.end());
  out.symbols.erase(last, out.symbols.end());
  out.counters = settings.counters.enabled;
  out.proofs = !settings.counters.pieces.authserv_ids.empty();
  if (settings.counters.pieces.authserv_ids.empty()) {
    for (const char* name : {"spf", "dkim", "dmarc"})
      out.missing.push_back({name, "counters.authserv_ids is empty"});
  }
  return out;
}

PolicyRules policy_rules(const PolicyOptions& options, const CheckContext& context) {
  Report report(options);
  std::vector<Rule> rules;
  for (std::size_t i = 0; i < options.rules.size(); ++i) {
    auto read = parse_condition(options.rules[i].condition);
    Condition condition;
    if (auto* const problem = std::get_if<ConditionProblem>(&read)) {
      report.add({i, RuleProblem::Part::kCondition, std::move(*problem)});
      condition.atom.name = kUnreadable;
    } else {
      condition = std::get<Condition>(std::move(read));
      complete_paths(condition, options.rules[i].condition_text.start.file);
    }
    rules.push_back(rule_of(options.rules[i], std::move(condition)));
  }
  CheckContext with_unreadable = context;
  with_unreadable.symbols.emplace_back(kUnreadable);
  for (const RuleProblem& found : check_rules(rules, with_unreadable)) report.add(found);
  PolicyRules out;
  if (!report.has_error()) {
    auto compiled = compile_rules(std::move(rules), context);
    SHINGLED_ASSERT(compiled.has_value());
    out.rules = std::make_shared<const CompiledRules>(*std::move(compiled));
  }
  out.problems = report.take();
  return out;
}

std::vector<names::ListFile> list_files_of(const PolicyOptions& options,
                                           const CompiledRules& rules) {
  std::vector<names::ListFile> out = names::list_files_of(options);
  for (const names::ListFile& file : rules.files)
    if (std::ranges::find(out, file) == out.end()) out.push_back(file);
  return out;
}

PolicyRules policy_rules(const Settings& settings) {
  return policy_rules(settings.policy, check_context(settings));
}

}  // namespace shingled::milter::policy
