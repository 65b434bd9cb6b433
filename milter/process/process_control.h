#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "config/base/result.h"
#include "config/system/unique_fd.h"

namespace shingled::milter::process {

enum class Signal : std::uint8_t { kReload, kReopenLog, kStop };

/// Blocks SIGHUP, SIGUSR1, SIGTERM and SIGINT for this thread and all threads that it starts, and
/// ignores SIGPIPE and SIGXFSZ. Call it before any other thread exists.
void block_signals();

/// Waits for one of the blocked signals, at most for `most`; nullopt if none came.
/// Threads: one thread.
std::optional<Signal> wait_for_signal(std::chrono::milliseconds most);

// Messages to systemd. They have no effect if systemd did not start this process (NOTIFY_SOCKET).

/// The start is not over yet. `status`: its progress. `longer`: the time that it may still take.
void notify_starting(const std::string& status, std::chrono::seconds longer);
void notify_ready(const std::string& status);
void notify_reloading();
void notify_stopping();
void notify_alive();
/// The interval in which systemd expects `notify_alive`; nullopt if there is no watchdog.
std::optional<std::chrono::milliseconds> watchdog_interval();
/// Whether standard error goes to the journal of systemd. JOURNAL_STREAM names the file of the
/// journal (systemd.exec(5)). It is compared with the file of standard error, because a child
/// process may inherit the variable but have another standard error.
bool stderr_is_journal();

/// The file with the number of the process. It is locked while the daemon runs; the destructor
/// removes it.
class PidFile {
 public:
  PidFile() = default;  ///< without a file
  /// Errors: kUnavailable (another process holds it), kDenied, kNotFound; each names the file.
  static Result<PidFile> create(const std::string& path);
  PidFile(PidFile&&) noexcept = default;
  PidFile& operator=(PidFile&&) noexcept = default;
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;
  ~PidFile();

 private:
  std::string path_;
  UniqueFd fd_;
};

}  // namespace shingled::milter::process
