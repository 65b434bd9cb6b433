#pragma once

#include <atomic>
#include <chrono>
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
#include "config/system/unique_fd.h"
#include "mime/fingerprint/secret_hash.h"

namespace shingled::milter::process {

/// Opens the log file for appending; creates it with mode 0640 if it does not exist.
///
/// Another user who owns a folder of the path may have prepared the file there. So a symbolic link
/// is refused, and root that will become daemon.user opens the file with the rights of this user,
/// which apply to every folder of the path, too. If this is denied, and all folders of the path
/// belong to root and the user may not write there, root creates the file and gives it to the user,
/// so that the daemon can reopen it later.
/// Errors: kDenied; kUnavailable (also: a symbolic link; neither a regular file nor a device). They
/// name the file.
/// Threads: the rights of root change for a moment; call it before there are threads.
Result<UniqueFd> open_log_file(const std::string& path, const DaemonOptions& options);

/// Passes equal lines at most once a minute. It remembers at most kLinesMax lines.
/// Threads: one thread at a time.
class RepeatFilter {
 public:
  static constexpr Duration kInterval = std::chrono::minutes(1);
  static constexpr std::size_t kLinesMax = 256;

  /// The number of equal lines that were held back since the last one that passed; nullopt = hold
  /// this line back, too.
  std::optional<std::uint64_t> admit(std::string_view line, TimePoint now);

 private:
  struct Seen {
    AtMostEvery passing{kInterval};
    std::uint64_t held_back = 0;
  };
  std::unordered_map<std::string, Seen, TextHash, std::equal_to<>> seen_;
};

/// The log of the daemon, with spdlog: on standard error, in a file that can be reopened after a
/// rotation, or at syslog, with its level as the priority. A line begins with time and level. If
/// standard error is the journal, which adds the time itself, the line begins with the priority in
/// the form of the journal, and the level. A repeated warning is written once a minute, with the
/// number of lines held back. With LogFormat::kJson a line is a JSON object: time, level, event and
/// the fields (log_json.h).
/// Threads: any thread.
class LogSink final : public Logger {
 public:
  /// `file`: empty = standard error. `options`: the user and group of the daemon, which matter
  /// while it is root.
  /// Errors: those of open_log_file.
  static Result<std::unique_ptr<LogSink>> open(const std::string& file, LogLevel level,
                                               Clock& clock, const DaemonOptions& options = {});
  ~LogSink() override;
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;

  void write(LogLevel level, std::string_view line) override;
  void write_line(LogLevel level, const LogLine& line) override;
  [[nodiscard]] bool enabled(LogLevel level) const override { return level >= level_.load(); }
  void set_level(LogLevel level) { level_.store(level); }
  /// Gets each line that is written, as text without time and level, on the thread that writes it:
  /// must not wait, throw or log. Empty = nobody. What was set before is not called any more when
  /// it returns.
  using Observer = std::function<void(LogLevel level, std::string_view line)>;
  void observe(Observer observer);
  /// Reopens the file. If this fails, the old one stays in use. Without a file it does nothing.
  Status reopen();

 private:
  class Impl;
  /// `line`: as it is written; `text`: for the observer.
  void put(LogLevel level, std::string_view line, std::string_view text);
  LogSink(std::unique_ptr<Impl> impl, LogLevel level);
  std::unique_ptr<Impl> impl_;
  std::atomic<LogLevel> level_;
};

}  // namespace shingled::milter::process
