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
  bool enforced = true;  ///< the mail is deferred; else this is only logged
};

/// A symbol for a message, because a bucket is above its burst.
struct LimitMark {
  std::string symbol;
  double value = 0;  ///< 2 tanh(drops / (2 burst))
  FullBucket bucket;
};

/// "30s", "2h5m", "never"; rounded up to seconds.
std::string wait_text(Duration wait);
/// "bucket to:a@b holds 5.0 of 5, again in 30s". Only for logs: the key contains addresses of
/// people.
std::string describe(const FullBucket& bucket);

/// A limit that marks messages instead of deferring them.
inline constexpr rules::Source kLimitSource = {.key = "limit", .title = {}, .always_shown = true};

/// The findings for a mark; without a mark they have no evidence. The text for the header does not
/// contain the key of the bucket: it may name a recipient that other recipients must not see. Pure.
rules::Findings limit_findings(const std::optional<LimitMark>& mark);

}  // namespace shingled::milter::ratelimit
