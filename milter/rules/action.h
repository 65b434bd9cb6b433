#pragma once

#include <cstdint>
#include <string_view>

namespace shingled::milter::rules {

/// The action for a message, from the weakest to the strongest.
enum class Action : std::uint8_t { kPass, kAddHeader, kTempfail, kQuarantine, kReject, kDiscard };

std::string_view to_string(Action action);  ///< "pass" "add_header" "tempfail" "quarantine" ...

}  // namespace shingled::milter::rules
