#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace shingled::milter::process {

enum class Signal : std::uint8_t { kReload, kReopenLog, kStop };

/// Blocks SIGHUP, SIGUSR1, SIGTERM and SIGINT for this thread and all threads that it starts, and
/// ignores SIGPIPE and SIGXFSZ. Call it before any other thread exists.
void block_signals();

/// Waits for one of the blocked signals, at most for `most`; nullopt if none came.
/// Threads: one thread.
std::optional<Signal> wait_for_signal(std::chrono::milliseconds most);

}  // namespace shingled::milter::process
