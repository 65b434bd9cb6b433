#pragma once

#include <optional>
#include <string>

#include "config/base/clock.h"
#include "milter/rules/evidence.h"

namespace shingled::milter::ratelimit {

/// A bucket that is too full for a message.
struct FullBucket {
  std::string type;  ///< "to_ip"
  std::string key;
  double drops = 0;
  double burst = 0;
  Duration wait{};       ///< until there is room for this mail; Duration::max() = never
  bool enforced = true;  ///< the mail is to be put off; else this is only to be told
};

/// The symbol of a message with a bucket over its burst.
struct LimitMark {
  std::string symbol;
  double value = 0;  ///< 2 tanh(drops / (2 burst))
  FullBucket bucket;
};

/// "30s", "2h5m", "never": rounded up to seconds.
std::string wait_text(Duration wait);
/// "bucket to:a@b holds 5.0 of 5, again in 30s". For logs only: the key names people.
std::string describe(const FullBucket& bucket);

/// A limit that marks messages instead of putting them off.
inline constexpr rules::Source kLimitSource = {.key = "limit", .title = {}, .always_shown = true};

/// The symbol of a message with a bucket over its burst, if it has one. Its header does not tell
/// the key of the bucket, which may name a recipient that others shall not see. Pure.
rules::Findings limit_findings(const std::optional<LimitMark>& mark);

}  // namespace shingled::milter::ratelimit
