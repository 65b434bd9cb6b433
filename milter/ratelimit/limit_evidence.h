#pragma once

#include <optional>

#include "milter/ratelimit/full_bucket.h"
#include "milter/rules/evidence.h"

namespace shingled::milter::ratelimit {

/// A limit that marks messages instead of putting them off.
inline constexpr rules::Source kLimitSource = {.key = "limit", .title = {}, .always_shown = true};

/// The symbol of a message with a bucket over its burst, if it has one. Its header does not tell
/// the key of the bucket, which may name a recipient that others shall not see. Pure.
rules::Findings limit_findings(const std::optional<LimitMark>& mark);

}  // namespace shingled::milter::ratelimit
