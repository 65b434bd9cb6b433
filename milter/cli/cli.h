#pragma once

#include <string>
#include <vector>

#include "milter/cli/access/printing.h"

namespace shingled::milter::cli {

/// The whole command line. Returns the process's exit code (sysexits).
int run_cli(int argc, char** argv);

/// The same with given streams. `arguments` has no program name.
int run_cli(const std::vector<std::string>& arguments, Console& console);

}  // namespace shingled::milter::cli
