#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "milter/policy/compile_rules.h"
#include "milter/policy/evaluate.h"

namespace shingled::milter::policy {

/// Who reads an explanation.
enum class Reader : std::uint8_t {
  kOperator,
  kLog,         ///< names hosts and checksums; other pieces by their type alone
  kRecipients,  ///< of the message: each sees nothing of the others
};

/// Why a rule fires, or does not: the parts of its condition that decided, with their numbers.
/// `from.spam 187 of 188 (99.5 %) in 14d; rule: 99% of 100`. Of several values the strongest is
/// named. Pieces of mail may be in it: any bytes, at most 60 of each.
/// Threads: stateless.
std::string explain_condition(const CompiledRules& rules, const MessageFacts& facts,
                              const Evaluation& evaluation, std::size_t rule,
                              Reader reader = Reader::kOperator);

/// The whole line: `SENDER_SPAMMY +1.50: from.spam 187 of 188 (99.5 %) in 14d; rule: 99% of 100`.
std::string explain_rule(const CompiledRules& rules, const MessageFacts& facts,
                         const Evaluation& evaluation, std::size_t rule,
                         Reader reader = Reader::kOperator);

/// The same, with an explanation of its condition that was made before.
std::string explain_rule(const Rule& rule, std::string_view why);

/// A rule that does not fire because of one part alone, which is unknown, or a number that is at
/// least half of what it needs.
struct NearMiss {
  std::size_t rule = 0;
  std::string text;  ///< `SENDER_SPAMMY: from.spam 97 of 100 (97.0 %) in 14d; rule: 99% of 100`
  friend bool operator==(const NearMiss&, const NearMiss&) = default;
};

/// All of them, in the order of the rules. Values that a message does not have at all (no links, no
/// user) are no near misses.
std::vector<NearMiss> near_misses(const CompiledRules& rules, const MessageFacts& facts,
                                  const Evaluation& evaluation);

}  // namespace shingled::milter::policy
