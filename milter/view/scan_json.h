#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/options/rule_options.h"
#include "config/options/settings.h"
#include "milter/actions/apply.h"
#include "milter/rules/evidence.h"
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"
#include "milter/view/json.h"

namespace shingled::milter::view {

// What was found out about a message, for `scan --json`, `check --json` and the API. All are pure.

/// The symbol a flag has in a rule: its own, else the rule's.
std::string symbol_of(const RuleOptions& rule, std::uint32_t flag);
/// [{"flag","symbol","value"}, ...], largest value first.
Json flags_json(const RuleOptions& rule, std::span<const storage::FlagValue> flags);

/// One look-up with all keys of `check --json` but "error"; a miss has null where it has no value.
/// `rule` is the rule that asked. "time" is in seconds, from question to answer.
Json lookup_json(const rules::Lookup& lookup, const RuleOptions& rule);

/// The evidence of one source: an array of objects, one for each, with its details. A source with a
/// title of its own has an object around it, {its figures, "notes", "hits"}; null if it was not
/// asked.
Json findings_json(const rules::Findings& findings);

/// What the score is the sum of: [{"symbol","score"}].
Json sum_json(const rules::Verdict& verdict);
/// Sets "headers", "removed", "reply".
void put_changes(const actions::Decision& decision, Json& object);
/// Sets "defects", "unasked", "incomplete", "time".
void put_bounds(const rules::Facts& facts, Json& object);

/// A message that was judged.
struct Scanned {
  const rules::Facts& facts;
  const actions::Decision& decision;
  const Settings& settings;
  const std::vector<std::string>& near_misses;  ///< Scanner::near_misses()
};
/// What would happen to it and why: the answer of POST /api/1/scan (milter/API.md).
Json scan_json(const Scanned& scanned);

}  // namespace shingled::milter::view
