#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "milter/desk/servers/server_choice.h"
#include "milter/judge/scanner.h"

namespace shingled::milter::desk {

/// Opens the milter's own scanner for a command. It asks the servers that the user named over the
/// network; the running daemon takes the place of the embedded engine. Its settings hold only the
/// rules that are asked. `library`: for known files; null = they are not looked up.
/// Errors: those of choose_destinations and Scanner::open.
Result<std::unique_ptr<judge::Scanner>> open_scanner(
    const ServerArguments& arguments, const Settings& settings, Clock& clock, Random& random,
    std::shared_ptr<const storage::similar::SampleLibrary> library = {});

}  // namespace shingled::milter::desk
