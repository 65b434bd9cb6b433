#pragma once

#include "config/base/result.h"

namespace shingled::milter::cli {

/// The exit code for a failure, from <sysexits.h>: what a mail system that runs us in a pipe acts
/// on.
///
///   kInvalid, kCorrupt  EX_DATAERR       the input is wrong
///   kNotFound           EX_NOINPUT       no such file
///   kDenied             EX_NOPERM        refused by the system or the server
///   kLimit, kTimeout    EX_TEMPFAIL      again later
///   kUnavailable        EX_UNAVAILABLE   nobody there
///   kInternal           EX_SOFTWARE      our bug
int exit_code(ErrorCode code);

/// The same for what a user said on the command line: EX_USAGE where that itself is wrong.
int usage_exit_code(const Error& error);

/// The same for a service that a command opens: a host without an address is not a file that is
/// missing but a server that cannot be reached, EX_UNAVAILABLE.
int service_exit_code(const Error& error);

/// The code of a command with many results: the most important one. A problem of one message
/// (EX_DATAERR, EX_NOINPUT) counts less than one of the system (EX_TEMPFAIL, EX_NOPERM,
/// EX_UNAVAILABLE); 0 counts least.
int worse_exit_code(int a, int b);

}  // namespace shingled::milter::cli
