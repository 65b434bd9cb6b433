#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "config/base/at_most_every.h"
#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/options/daemon_options.h"
#include "mime/fingerprint/secret_hash.h"

namespace shingled::milter::process {

/// Lets a line that says the same again and again through once a minute. A value; takes `now`.
/// Threads: one thread at a time. Bounded: kLinesMax lines are remembered.
class RepeatFilter {
 public:
  static constexpr Duration kInterval = std::chrono::minutes(1);
  static constexpr std::size_t kLinesMax = 256;

  /// How many equal lines were held back since the last one that passed; nothing = hold this one
  /// back too.
  std::optional<std::uint64_t> admit(std::string_view line, TimePoint now);

 private:
  struct Seen {
    AtMostEvery passing{kInterval};
    std::uint64_t held_back = 0;
  };
  std::unordered_map<std::string, Seen, TextHash, std::equal_to<>> seen_;
};

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
