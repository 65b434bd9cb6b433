#pragma once

#include <span>

#include "milter/rules/facts.h"
#include "milter/rules/score.h"

namespace shingled::milter::rules {

/// A hit that speaks for a message (a white list, a report withdrawn) speaks for its own part: of
/// the visible body for the message, with its whole score. Of any other part it takes away what was
/// found against that part, by any rule, up to its own amount; or a known good text could be
/// attached to spam. Call it once, on all hits of a message. Pure.
void keep_white_to_its_part(std::span<Hit> hits, const Facts& facts);

}  // namespace shingled::milter::rules
