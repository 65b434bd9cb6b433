#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "milter/cli/access/server_choice.h"
#include "milter/filter/scanner.h"

namespace shingled::milter::cli {

/// The milter's own scanner, asking over the network whom the user names: as the milter would, but
/// with the running daemon in place of the embedded engine. Its settings hold the rules that are
/// asked and no others. `library`: where known files are looked up; null = they are not.
/// Errors: those of choose_destinations and Scanner::open.
Result<std::unique_ptr<filter::Scanner>> open_scanner(
    const ServerArguments& arguments, const Settings& settings, Clock& clock, Random& random,
    std::shared_ptr<const storage::similar::SampleLibrary> library = {});

}  // namespace shingled::milter::cli
