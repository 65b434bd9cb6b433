#pragma once

#include <string_view>

#include "milter/replay/past_effect.h"
#include "milter/view/json.h"

namespace shingled::milter::api {

/// {"since", "messages", "matched", "would_change", "examples", "unknown"} of the last 7 days.
/// Pure.
Json effect_json(const replay::PastEffect& effect);
/// The same where nothing is known, with "off": why.
Json unknown_effect_json(std::string_view why);

}  // namespace shingled::milter::api
