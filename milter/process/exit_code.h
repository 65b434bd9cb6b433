#pragma once

#include <cstdint>

#include "config/base/result.h"

namespace shingled::milter::process {

/// What failed. The same error means one thing for a daemon that starts and another for a message
/// that a command reads.
enum class ExitContext : std::uint8_t {
  kDaemon,    ///< the daemon: its settings, ports, storage
  kInput,     ///< what a command reads: messages, files
  kArgument,  ///< what the command line says
  kService,   ///< a server that a command opens
  kDatabase,  ///< a database that a command works on, which a daemon may have in use
};

/// The exit code for an error, from <sysexits.h>: a mail system that runs us in a pipe acts on it,
/// and shingled(8) lists the codes. The table of all of them is in exit_code.cpp.
///
/// Why the contexts differ: an operator looks after a daemon that does not start, so EX_CONFIG
/// stands for a wrong setting and a missing file alike, and EX_TEMPFAIL would promise that it comes
/// up by itself. A host without an address is a server that cannot be reached, not a missing file.
/// A database that is in use, or on a full disk, is worth another try.
int exit_code(ErrorCode code, ExitContext context);

}  // namespace shingled::milter::process
