#pragma once

namespace shingled::milter::filter {

/// What libmilter calls and this program answers in its place, because its manual has no word to
/// ask for it. The names are bound to the program's before those of any library.
///
/// - sigwait(3): libmilter starts a thread that takes SIGHUP, SIGTERM and SIGINT by it and ends the
///   service at each of them: a reload would be a stop. Ours never returns; our own signal thread
///   uses sigtimedwait(2).
/// - mi_rd_cmd, its own function that reads one command of the MTA: ours calls it, and can then
///   acknowledge what came.
///
/// What no answer follows (the macros of a step we do without, headers, a body, the abort between
/// two messages) Postfix sends in several small writes. Over TCP its kernel holds back the second
/// (Nagle) until the first is acknowledged, and ours waits 40 ms for data to acknowledge it with
/// (delayed acknowledgement): 40 ms for each message. TCP_QUICKACK ends that, but counts only until
/// the next answer, and libmilter shows nobody the descriptor of a connection. To answer each of
/// them instead would cost a turn for each header, and the writes of a long body would still wait.
///
/// `at_once`: acknowledge every command as soon as it is read; for TCP. One system call each.
/// Errors: none. Against a libmilter without the function nothing is acknowledged early.
/// Threads: any.
/// Source: Linux tcp(7); libmilter 8.17, comm.c.
void acknowledge_commands(bool at_once);

/// Lets the connections of this process's listening TCP sockets send at once (TCP_NODELAY, which
/// accepted connections inherit). libmilter answers in several small writes; with Nagle's algorithm
/// and the delayed acknowledgement of the other side each message would wait 40 ms for the second.
/// Errors: none; a socket that refuses stays as it is.
void send_without_delay();

}  // namespace shingled::milter::filter
