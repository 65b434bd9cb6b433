#pragma once

namespace shingled::milter {

/// The whole command line. Returns the process's exit code (sysexits).
int run_cli(int argc, char** argv);

}  // namespace shingled::milter
