#include "config/promotions/promoted_rules.h"

#include <map>
#include <set>
#include <string_view>

#include "config/base/ascii.h"
#include "config/base/number_text.h"
#include "config/promotions/decision_file.h"
#include "config/promotions/judgement_file.h"

namespace shingled::config {

void use_promotions(const Judgements& judgements, Settings& settings) {
  std::map<std::string_view, std::uint64_t> promoted;
  if (settings.policy.promote == PolicyPromote::kAuto && settings.history.enabled) {
    for (const RuleJudgement& rule : judgements.rules)
      if (rule.stage == RuleStage::kPromoted) promoted.emplace(rule.name, rule.identity);
  }
  std::vector<std::uint64_t> identities;
  if (!promoted.empty()) identities = identities_of(settings.policy.rules);
  for (std::size_t i = 0; i < settings.policy.rules.size(); ++i) {
    PolicyRuleOptions& rule = settings.policy.rules[i];
    const auto found = promoted.find(rule.name);
    rule.promoted = found != promoted.end() && found->second == identities[i] && rule.shadow &&
                    !rule.kept && rule.enabled;
  }
}

Status use_promotions(Settings& settings) {
  Judgements judgements;
  Status read;
  if (settings.policy.promote == PolicyPromote::kAuto && settings.history.enabled) {
    auto found = read_judgements(judgement_file(settings.history));
    if (found) {
      judgements = *std::move(found);
    } else {
      read = found.error();
    }
  }
  use_promotions(judgements, settings);
  const auto decisions = read_decisions(decision_file(settings.history));
  use_decisions(decisions ? *decisions : RuleDecisions{}, settings);
  const bool denied = !decisions && decisions.error().code == ErrorCode::kDenied;
  return !read || decisions || denied ? read : Status(decisions.error());
}

void use_decisions(const RuleDecisions& decisions, Settings& settings) {
  for (PolicyRuleOptions& rule : settings.policy.rules) {
    if (!rule.shadow) rule.kept = false;
    const RuleDecision* const decision = find_decision(decisions, rule.name);
    if (decision == nullptr || (rule.shadow && rule.kept)) continue;
    if (rule.shadow) {
      rule.promoted = decision->live;
    } else {
      rule.kept = !decision->live;
    }
  }
}

namespace {

/// FNV-1a, 64 bits. Nobody but the operator writes what is hashed.
/// Source: draft-eastlake-fnv-17.
std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

bool is_in_name(char c) { return c == '_' || ascii::is_alnum(c); }

using RulePlaces = std::map<std::string, std::size_t, std::less<>>;

/// The rules whose names stand in a condition, as words.
std::set<std::size_t> named_in(std::string_view condition, const RulePlaces& places) {
  std::set<std::size_t> out;
  for (std::size_t i = 0; i < condition.size();) {
    std::size_t end = i;
    while (end < condition.size() && is_in_name(condition[end])) ++end;
    if (const auto found = places.find(condition.substr(i, end - i)); found != places.end())
      out.insert(found->second);
    i = end + 1;
  }
  return out;
}

/// The rule and all that it needs, directly or through others.
std::set<std::size_t> needed_by(std::size_t rule, const std::vector<std::set<std::size_t>>& named) {
  std::set<std::size_t> out = {rule};
  std::vector<std::size_t> open = {rule};
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    for (const std::size_t other : named[next])
      if (out.insert(other).second) open.push_back(other);
  }
  return out;
}

}  // namespace

std::vector<std::uint64_t> identities_of(const std::vector<PolicyRuleOptions>& rules) {
  RulePlaces places;
  for (std::size_t i = 0; i < rules.size(); ++i) places.emplace(rules[i].name, i);
  std::vector<std::set<std::size_t>> named;
  for (const PolicyRuleOptions& rule : rules) named.push_back(named_in(rule.condition, places));
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    std::map<std::string_view, std::string_view>
        conditions;  // in an order that files do not change
    for (const std::size_t other : needed_by(i, named))
      if (rules[other].enabled) conditions.emplace(rules[other].name, rules[other].condition);
    std::string text = rules[i].name + '\n';
    if (rules[i].score) text += shortest_text(*rules[i].score);
    text += '\n';
    if (rules[i].action) text += to_string(*rules[i].action);
    for (const auto& [name, condition] : conditions)
      text.append("\n").append(name).append("\n").append(condition);
    out.push_back(fnv1a(text));
  }
  return out;
}

}  // namespace shingled::config
