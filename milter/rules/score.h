#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/rule_options.h"
#include "milter/rules/facts.h"

namespace shingled::milter::rules {

/// What a hit may do by itself, the strongest first (standing.h).
enum class Standing : std::uint8_t {
  kFull,   ///< whatever its score reaches
  kMarks,  ///< at most a header
  kNoted   ///< nothing
};

std::string_view to_string(Standing standing);  ///< "full" "marks" "noted"

/// What one stored flag of one matched hash weighs, with every factor of the product, so that
/// `scan` can show the sum as it was done:
///
///   score = saturation x certainty x image x context x weight
struct Hit {
  std::size_t lookup = 0;  ///< into Facts::lookups
  std::uint32_t flag = 0;
  std::int32_t value = 0;
  std::string symbol;
  double hits_limit = 0;
  double saturation = 0;  ///< tanh(e * value / hits_limit)
  double certainty = 0;   ///< clamp((probability - 0.5) * 2, 0, 1)
  double image = 1;       ///< ((probability - 0.5) * 2)^8 for a small image, else 1
  double context = 1;     ///< what else matched: PROTOCOL.md section 6, "message-level"
  double weight = 0;      ///< the symbol's score at saturation
  double score = 0;       ///< the product; 0 if dropped; less where it is held or spared
  bool dropped = false;   ///< below the rule's weight_threshold
  Standing standing = Standing::kFull;
  double held = 0;        ///< the product, where that is more than the hit may do by itself
  double spared = 0;      ///< what a white hit of the same part took away
  bool own_part = false;  ///< a white hit of a part that is not the body: it only spares that part

  /// "0.96 (7 of 10) x 1.00 certain x 20.00 = 19.13"
  [[nodiscard]] std::string arithmetic() const;
};

/// Every hit of every look-up, in their order, and one for each further flag of a multi-flag
/// record. Flags no rule names are left out where the rule says so. Pure.
/// Source: PROTOCOL.md section 6 (4.1.3 and later).
std::vector<Hit> score_hits(const Facts& facts, std::span<const RuleOptions> rules);

}  // namespace shingled::milter::rules
