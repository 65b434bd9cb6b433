#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "milter/rules/facts.h"
#include "milter/rules/fuzzy_evidence.h"
#include "milter/rules/verdict.h"

namespace shingled::milter::rules {

/// A look-up of rule 0 with a hit.
inline Lookup hit_lookup(mime::PartKind kind, float probability,
                         std::vector<storage::FlagValue> flags, std::uint64_t bytes = 2000) {
  Lookup lookup;
  lookup.rule = "local";
  lookup.server = "local";
  lookup.hash.part = "1";
  lookup.hash.kind = kind;
  lookup.hash.bytes = bytes;
  lookup.hash.place = kind == mime::PartKind::kAttachment || kind == mime::PartKind::kImage
                          ? mime::PartPlace::kAttachment
                          : mime::PartPlace::kBody;
  lookup.outcome = Lookup::Outcome::kHit;
  lookup.probability = probability;
  lookup.match.exact = probability >= 1;
  lookup.match.digest.bytes.fill(0xab);
  lookup.match.flag_count = static_cast<std::uint8_t>(flags.size());
  for (std::size_t i = 0; i < flags.size(); ++i) lookup.match.flags[i] = flags[i];
  return lookup;
}

inline Lookup failed_lookup(Lookup::Outcome outcome) {
  Lookup lookup;
  lookup.rule = "remote";
  lookup.server = "192.0.2.1:11335";
  lookup.outcome = outcome;
  return lookup;
}

/// Adds the findings of the look-ups before the existing findings.
inline Facts weighed(Facts facts, std::span<const RuleOptions> rules,
                     const ActionOptions& actions = {}) {
  facts.findings.insert(facts.findings.begin(), fuzzy_findings(facts, rules, actions));
  return facts;
}

/// The verdict on facts; the findings of their look-ups are added first.
inline Verdict judge(const Facts& facts, std::span<const RuleOptions> rules,
                     const ActionOptions& actions, FailurePolicy on_failure) {
  return judge(weighed(facts, rules, actions), actions, on_failure);
}

/// Evidence of a source that no code knows by name.
inline Evidence made_up_evidence(std::string symbol, double score) {
  Evidence item;
  item.symbol = symbol;
  item.score = score;
  item.explanation = [symbol = std::move(symbol)] {
    return Explanation{.log = symbol + ":3 of 4",
                       .header = symbol + "; mass=3 of=4",
                       .arithmetic = "3 of 4 = 0.75",
                       .details = {{"symbol", symbol}, {"mass", std::int64_t{3}}},
                       .rows = {{"counter", "3 of\r4"}}};
  };
  return item;
}

}  // namespace shingled::milter::rules
