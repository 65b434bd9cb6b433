#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "config/system/file_system.h"
#include "milter/cli/reports/report_client.h"

namespace shingled::milter::cli {

/// A report as a file of a spool: a line of JSON, then the message. Pure.
std::string spooled_text(const SentReport& report);
/// Errors: kCorrupt.
Result<SentReport> parse_spooled(std::string_view text);

/// Reports that wait for the daemon in a folder, one file each: TIME-PROCESS-NUMBER.report.
///
/// A file appears under its name when it is on the disk as a whole. What the daemon refuses for
/// good is renamed to *.refused, for a person to look at. Several processes may use one folder: a
/// report that two of them deliver counts once.
/// Threads: one thread.
class ReportSpool {
 public:
  /// `files` must outlive it. `process`: number of this process.
  ReportSpool(FileSystem& files, std::uint64_t process) : files_(files), process_(process) {}

  /// Keeps a report; it is on the disk afterwards. `time`: Unix microseconds.
  /// Errors: those of FileSystem.
  Status keep(const SentReport& report, std::uint64_t time);
  /// Whether reports wait.
  Result<bool> empty();
  /// Removes what processes that ended in the middle of `keep` left, as far as this user may.
  /// Nobody was told that it was kept. `time`: as for `keep`; what is not an hour older is left
  /// alone.
  void remove_halves(std::uint64_t time);

  struct Delivered {
    std::size_t sent = 0;
    std::size_t refused = 0;
    std::size_t waiting = 0;
    Status why_waiting;  ///< why one was not delivered: the one where it ended, else the first
  };
  /// Delivers at most `most` reports with `send`, the oldest first, until one has to wait. A file
  /// that cannot be read or removed, as it is another user's, waits; the others are delivered. What
  /// is not a report is put aside: everybody may put something into the folder.
  /// Errors: the folder cannot be read.
  Result<Delivered> flush(std::size_t most,
                          const std::function<Result<Json>(const SentReport&)>& send);

 private:
  Result<std::vector<std::string>> waiting();
  Result<std::string> read(const std::string& name);

  FileSystem& files_;
  std::uint64_t process_;
  std::uint64_t number_ = 0;
};

}  // namespace shingled::milter::cli
