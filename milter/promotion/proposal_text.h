#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/options/policy_options.h"
#include "config/promotions/judgement_file.h"

namespace shingled::milter::promotion {

/// The line of settings that takes this rule out of shadow: "policy.live: [marks, NAME]".
/// Threads: stateless.
std::string accepting(const PolicyOptions& policy, std::string_view rule);

/// Why a rule went back into shadow, or is not proposed any more. `unreported`: all messages that
/// nobody reported.
/// Threads: stateless.
std::string why_returned(const config::RuleFigures& figures, std::uint64_t unreported);

}  // namespace shingled::milter::promotion
