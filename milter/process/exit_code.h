#pragma once

#include <cstdint>

#include "config/base/result.h"

namespace shingled::milter::process {

/// Where an error occurred. The same error means one thing for a daemon that starts, and another
/// for a message that a command reads.
enum class ExitContext : std::uint8_t {
  kDaemon,    ///< the start of the daemon: its settings, ports, storage
  kInput,     ///< the input of a command: messages, files
  kArgument,  ///< the command line
  kService,   ///< a server that a command connects to
  kDatabase,  ///< a database that a command works on; a daemon may be using it
};

/// The exit code for an error, from <sysexits.h>. A mail system that runs a command in a pipe
/// reacts to it, and shingled(8) lists the codes. The table of all codes is in exit_code.cpp.
///
/// Why the contexts differ:
/// - kDaemon: an operator repairs a daemon that does not start. So EX_CONFIG means a wrong setting
///   or a missing file, and EX_TEMPFAIL is not used: it would promise that the daemon will start by
///   itself later.
/// - kService: kNotFound means that a host has no address, so the server cannot be reached.
/// - kDatabase: kUnavailable is EX_TEMPFAIL. The database is in use, or its disk is full, and the
///   command may work later.
int exit_code(ErrorCode code, ExitContext context);

}  // namespace shingled::milter::process
