#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/options/daemon_options.h"

namespace shingled::milter::process {

/// The daemon's log through spdlog: standard error, or a file that can be opened anew after
/// rotation. A line has its time and level before it; where standard error is the journal, which
/// has times of its own, the priority that it understands. A warning that repeats itself is written
/// once a minute, with the number held back.
/// Threads: any thread.
class LogSink final : public Logger {
 public:
  /// `file` empty = standard error. `options`: who the daemon is to be, which matters while it is
  /// root.
  /// Errors: those of open_log_file.
  static Result<std::unique_ptr<LogSink>> open(const std::string& file, LogLevel level,
                                               Clock& clock, const DaemonOptions& options = {});
  ~LogSink() override;
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;

  void write(LogLevel level, std::string_view line) override;
  [[nodiscard]] bool enabled(LogLevel level) const override { return level >= level_.load(); }
  void set_level(LogLevel level) { level_.store(level); }
  /// Opens the file anew; the old one stays in use when that fails.
  Status reopen();

 private:
  class Impl;
  LogSink(std::unique_ptr<Impl> impl, LogLevel level);
  std::unique_ptr<Impl> impl_;
  std::atomic<LogLevel> level_;
};

}  // namespace shingled::milter::process
