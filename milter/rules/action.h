#pragma once

#include <cstdint>
#include <string_view>

#include "config/options/policy_options.h"

namespace shingled::milter::rules {

/// The action for a message, from the weakest to the strongest.
enum class Action : std::uint8_t { kPass, kAddHeader, kTempfail, kQuarantine, kReject, kDiscard };

std::string_view to_string(Action action);  ///< "pass" "add_header" "tempfail" "quarantine" ...

/// What a rule with that action does to a message; kAddHeader for those that only bound others.
Action action_of(PolicyAction action);

}  // namespace shingled::milter::rules
