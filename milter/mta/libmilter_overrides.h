#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "config/base/logger.h"
#include "milter/mta/memory_budget.h"

namespace shingled::milter::mta {

/// This program defines four functions that libmilter calls, because libmilter has no option for
/// these purposes. The linker binds a name to the program before any library.
///
/// - sigwait(3): libmilter starts a thread that waits for SIGHUP, SIGTERM and SIGINT with it, and
///   ends the service at each of them: a reload would be a stop. Our sigwait never returns; our own
///   signal thread uses sigtimedwait(2).
/// - mi_rd_cmd, the function of libmilter that reads one command of the MTA. The original needs
///   four calls of the system for a command. Ours takes what the socket has (`CommandReader`), for
///   the thread that libmilter has given the connection to: when a thread leaves a connection,
///   nothing is left in its buffer, so an idle connection has none.
/// - poll(2): libmilter asks with it, for a millisecond, whether there is another command, and
///   gives the connection back to its poll of all connections if not, which costs eight calls. The
///   answer is yes while the buffer has something; otherwise the wait is a little longer. Every
///   other call is passed on.
/// - mi_wr_cmd, the function of libmilter that sends one reply: two calls. Ours sends a message's
///   changes together with the answer that ends them (`ReplyWriter`).
///
/// Over TCP, what was read is acknowledged before a wait for more. Why: some commands get no answer
/// (the macros of a step that we do not use, headers, a body, the abort between two messages), and
/// Postfix sends them in several small writes. Its kernel holds back the second write (Nagle) until
/// the first is acknowledged, and our kernel waits 40 ms for data to send the acknowledgement with
/// (delayed acknowledgement): 40 ms for each message. TCP_QUICKACK ends this, but only until the
/// next answer. To answer each command instead would cost a round trip for each header, and the
/// writes of a long body would still wait.
struct WireOptions {
  bool acknowledge = false;     ///< before a wait for more; for TCP
  std::size_t command_max = 0;  ///< data of a command, bytes; a longer one ends its connection
  std::shared_ptr<MemoryBudget> memory = {};  ///< for long commands; null = no limit
};
/// Sets them for connections that a thread takes up from now on. Before it is called, every command
/// is too long.
/// Errors: none. If libmilter calls its own functions, nothing changes for it.
/// Threads: any.
/// Source: Linux tcp(7); libmilter 8.17, comm.c, engine.c, worker.c.
void set_wire(WireOptions options);

/// Forgets what this thread has of its connection. For the callback that closes it, in whose
/// thread it is called.
void leave_connection() noexcept;

/// Does the work once this thread's answer is sent, before it waits for the next command or leaves
/// the connection; at once if libmilter reads with its own functions. For a callback.
/// Errors: what `work` throws at once is thrown; later it is lost.
void after_answer(std::function<void()> work);

/// Why `set_wire` can have no effect; empty = it can. Where the functions are does not
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
