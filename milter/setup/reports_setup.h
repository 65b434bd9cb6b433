#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "milter/setup/plan.h"

namespace shingled::milter::setup {

/// What a file of settings says of `reports.residents`; nullopt: nothing, or it cannot be read
/// without a parser (`reports: {...}`).
/// Threads: stateless.
std::optional<std::string> written_residents(std::string_view settings);

/// Whose reports count as those of people (`reports.residents`): a question that only a person can
/// answer. `path` and `settings`: our own file; `answer`: "all", "earned", or empty = not given.
/// The line is written into the block `reports`, or changed there; comments and all else stay.
///
/// Without an answer in the file or on the command line the question is a problem of the plan.
/// Threads: stateless.
Plan plan_reports(const std::string& path, std::string_view settings, std::string_view answer);

}  // namespace shingled::milter::setup
