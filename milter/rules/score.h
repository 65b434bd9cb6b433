#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/rule_options.h"
#include "milter/rules/facts.h"

namespace shingled::milter::rules {

/// What a hit may do by itself (hit_strength.h); the strongest is the first.
enum class HitStrength : std::uint8_t {
  kFull,   ///< every action that its score reaches
  kMarks,  ///< at most an added header
  kNoted   ///< no action
};

std::string_view to_string(HitStrength strength);  ///< "full" "marks" "noted"

/// The weight of one stored flag of one matched hash, with every factor of the product, so that
/// `scan` can show the calculation:
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
  double context = 1;     ///< from the other matches: PROTOCOL.md section 6, "message-level"
  double weight = 0;      ///< the score of the symbol at full saturation
  double score = 0;       ///< the product; 0 if dropped or quoted; less if held or spared
  bool dropped = false;   ///< below the rule's weight_threshold
  HitStrength strength = HitStrength::kFull;
  double held = 0;    ///< the product if it was reduced to what the hit may do by itself; else 0
  double spared = 0;  ///< the amount that a white hit of the same part took away
  /// Of what the message only quotes, forwards or returns (Lookup::is_quoted()): it counts nothing.
  bool quoted = false;
  bool own_part = false;  ///< a white hit outside the body: it only spares its own part

  /// "0.96 (7 of 10) x 1.00 certain x 20.00 = 19.13"
  [[nodiscard]] std::string arithmetic() const;
};

/// The score of an exact hit of this value on a list, when nothing else is found. Pure.
double list_score(const FlagOptions& list, std::int32_t value);
/// The other parts of a message multiply the score of a hit by at most this.
inline constexpr double kContextMost = 1.1;

/// One hit for each flag of each look-up that found something, in the order of the look-ups. Flags
/// that the rule does not name are left out if the rule has `skip_unknown`. Pure.
/// Source: PROTOCOL.md section 6 (4.1.3 and later).
std::vector<Hit> score_hits(const Facts& facts, std::span<const RuleOptions> rules);

}  // namespace shingled::milter::rules
