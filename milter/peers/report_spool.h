#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "config/system/file_system.h"
#include "milter/peers/sent_report.h"
#include "milter/view/json.h"

namespace shingled::milter::peers {

/// A report as a file of a spool: a line of JSON, then the message or what was kept of it. Pure.
std::string spooled_text(const SentReport& report);
/// Errors: kCorrupt.
Result<SentReport> parse_spooled(std::string_view text);

/// Reports that wait for the daemon in a folder, one file each: TIME-PROCESS-NUMBER.report.
///
/// A file appears under its name when it is on the disk as a whole, and only its owner reads it.
/// What the daemon refuses for good is renamed to *.refused, for a person to look at, for a month
/// at most. Several processes may use one folder: each has a report for itself while it delivers
/// it, and leaves later ones of the same person to the one that has an earlier one, so that a
/// person's last word stands.
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
  /// How many wait, and the time of the newest file of all; 0 without one.
  struct Content {
    std::size_t waiting = 0;
    std::uint64_t newest = 0;
  };
  Result<Content> content();
  /// Removes what processes that ended in the middle of `keep` left, as far as this user may.
  /// Nobody was notified that it was kept. `time`: as for `keep`; what is not an hour older is left
  /// alone.
  void remove_halves(std::uint64_t time);
  /// Removes what was refused a month ago, and the oldest of more than kRefusedMax, as far as this
  /// user may.
  void remove_refused(std::uint64_t time);

  struct Delivered {
    std::size_t sent = 0;
    std::size_t refused = 0;
    std::size_t waiting = 0;
    Status why_waiting;                  ///< why the first one was not delivered
    std::vector<std::string> put_aside;  ///< "NAME: put aside as NAME: REASON", kNamedMax of them
  };
  using Send = std::function<Result<Json>(const SentReport&)>;
  /// Delivers at most `most` reports with `send`, the oldest first. One that has to wait makes the
  /// later ones of the same person wait, not those of others; after kFailuresMax in a row to which
  /// nobody answered (is_away), or kVainMax in all, the rest waits. A file that cannot be read or
  /// removed, as it is another user's, waits. What is not a report is put aside: everybody may put
  /// something into the folder. So is what the daemon has not taken for a day, although it takes
  /// others. `time`: as for `keep`.
  /// Errors: the folder cannot be read.
  Result<Delivered> flush(std::uint64_t time, std::size_t most, const Send& send);

  static constexpr std::size_t kRefusedMax = 1000;
  static constexpr std::size_t kFailuresMax = 5;
  static constexpr std::size_t kVainMax = 1000;
  static constexpr std::size_t kNamedMax = 20;

 private:
  Result<std::vector<std::string>> waiting();
  Result<std::string> read(const std::string& name);
  /// A new name for what is refused; the old one may be too long, or be taken by a folder.
  Status put_aside(const std::string& name, std::uint64_t time, const std::string& why,
                   Delivered& out);

  FileSystem& files_;
  std::uint64_t process_;
  std::uint64_t number_ = 0;
};

}  // namespace shingled::milter::peers
