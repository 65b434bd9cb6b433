#pragma once

#include <string>

#include "config/base/logger.h"

namespace shingled::milter::mta {

/// This program defines two functions that libmilter calls, because libmilter has no option for
/// these purposes. The linker binds a name to the program before any library.
///
/// - sigwait(3): libmilter starts a thread that waits for SIGHUP, SIGTERM and SIGINT with it, and
///   ends the service at each of them: a reload would be a stop. Our sigwait never returns; our own
///   signal thread uses sigtimedwait(2).
/// - mi_rd_cmd, the function of libmilter that reads one command of the MTA. Our version calls the
///   original, and can then acknowledge the received data.
///
/// Why: some commands get no answer (the macros of a step that we do not use, headers, a body, the
/// abort between two messages), and Postfix sends them in several small writes. Over TCP its kernel
/// holds back the second write (Nagle) until the first is acknowledged, and our kernel waits 40 ms
/// for data to send the acknowledgement with (delayed acknowledgement): 40 ms for each message.
/// TCP_QUICKACK ends this, but only until the next answer, and libmilter does not make the
/// descriptor of a connection known. To answer each command instead would cost a round trip for
/// each header, and the writes of a long body would still wait.
///
/// `at_once`: acknowledge every command as soon as it is read; for TCP. One system call for each.
/// Errors: none. If libmilter does not have the function, nothing is acknowledged early.
/// Threads: any.
/// Source: Linux tcp(7); libmilter 8.17, comm.c.
void acknowledge_commands(bool at_once);

/// Why `acknowledge_commands` can have no effect; empty = it can. Where the functions are does not
/// tell whether libmilter calls ours.
/// Threads: any.
std::string why_not_acknowledging();
/// The same of these addresses of mi_rd_cmd: the original, the one that a library finds, and ours.
std::string why_not_acknowledging(const void* original, const void* found, const void* ours);
/// The log has a warning if there is a reason. For the start.
void warn_if_not_acknowledging(Logger& logger);
/// The log has a warning, once, if libmilter has not called our mi_rd_cmd by now. For a callback of
/// a connection: libmilter has read a command before it calls any.
/// Threads: any.
void warn_if_not_read(Logger& logger) noexcept;

/// Sets TCP_NODELAY on all listening TCP sockets of this process; accepted connections inherit it.
/// libmilter answers in several small writes. With Nagle's algorithm and the delayed
/// acknowledgement of the other side, each message would wait 40 ms for the second write.
/// Errors: none; a socket that refuses the option stays as it is.
void send_without_delay();

}  // namespace shingled::milter::mta
