#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace shingled::milter::process {

/// What systemd is told, if it started us (NOTIFY_SOCKET). Each is a no-op otherwise.
/// Still starting, and how far; the start may take so much longer from now.
void notify_starting(const std::string& status, std::chrono::seconds longer);
void notify_ready(const std::string& status);
void notify_reloading();
void notify_stopping();
void notify_alive();
/// How often `notify_alive` is expected, or nothing.
std::optional<std::chrono::milliseconds> watchdog_interval();
/// Whether what we write on standard error goes to systemd's journal, which JOURNAL_STREAM tells a
/// service (systemd.exec(5)); a child that inherits the variable may have been given another one.
bool stderr_is_journal();

}  // namespace shingled::milter::process
