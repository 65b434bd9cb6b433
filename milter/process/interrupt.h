#pragma once

namespace shingled::milter::process {

/// The exit code of a command that Ctrl-C ended: 128 + SIGINT, as a shell would report it.
inline constexpr int kExitInterrupted = 130;

/// From now on the first Ctrl-C sets a mark, so that the command ends between two messages; a
/// second one ends the process at once. A blocking read fails with EINTR.
void watch_interrupts();

/// Whether Ctrl-C was pressed.
/// Threads: any thread.
bool interrupted();

/// Waits until something can be read, including the end or an error; false after Ctrl-C, also if
/// another thread got the signal.
/// Threads: any thread.
bool wait_for_bytes(int fd);

}  // namespace shingled::milter::process
