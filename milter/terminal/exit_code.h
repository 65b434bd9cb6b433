#pragma once

#include "config/base/result.h"

namespace shingled::milter::terminal {

/// The exit codes of commands, out of the table of milter/process/exit_code.h: for what a command
/// reads (messages, files),
int exit_code(ErrorCode code);
/// for what the user said on the command line,
int usage_exit_code(const Error& error);
/// for a service that a command opens,
int service_exit_code(const Error& error);
/// and for a database that it works on.
int database_exit_code(const Error& error);

/// The code of a command with many results: the most important one. A problem of one message
/// (EX_DATAERR, EX_NOINPUT) counts less than one of the system (EX_TEMPFAIL, EX_NOPERM,
/// EX_UNAVAILABLE); 0 counts least.
int worse_exit_code(int a, int b);

}  // namespace shingled::milter::terminal
