#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/system/file_system.h"
#include "storage/counters/addition.h"
#include "storage/log/record_log.h"

namespace shingled::storage::counters {

/// The additions of a table that is not in a sealed file yet, so that the end of the process does
/// not lose them. A record per call; a call is written before anybody can read its counts.
///
/// Threads: any thread.
/// Cost:    one write(2) a call, about 2 us.
/// Source:  COUNTERS.md section 4.
class CounterLog {
 public:
  /// A new, empty log of the periods of ten minutes that begins at `slot`.
  /// Errors: those of FileSystem.
  static Result<std::unique_ptr<CounterLog>> create(FileSystem& files, const std::string& name,
                                                    Slot slot);

  /// The addition survives the end of the process afterwards.
  /// Errors: kUnavailable; then nothing of it is in the log.
  Status append(const Addition& addition);
  /// All that was appended before survives a power cut afterwards, too. Does nothing if there is
  /// nothing new; waits for the sync of another thread, which may be what makes it so.
  /// Errors: kUnavailable, from then on always: the system may have dropped what it could not write,
  ///         and then a later sync succeeds without it.
  Status sync();
  [[nodiscard]] bool is_doubtful() const { return is_doubtful_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct State {
    std::unique_ptr<log::RecordLog> log;
    bool is_synced = true;
  };

  explicit CounterLog(std::unique_ptr<log::RecordLog> log);

  log::RecordLog* const log_;  ///< for `sync` beside `append`
  Mutex syncing_;              ///< held while the disk works: nobody may say that it has done so
  Guarded<State> state_;
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<bool> is_doubtful_{false};  ///< a sync failed
};

/// What a log holds.
struct LogContent {
  Slot slot = 0;
  std::uint64_t additions = 0;
  std::uint64_t bytes_lost = 0;  ///< see log::LogReading
};

/// Calls `take` for each addition of a log, in order.
/// Errors: those of log::read_records; kCorrupt for an addition of another version.
Result<LogContent> read_log(FileSystem& files, const std::string& name,
                            const std::function<Status(Slot, const Addition&)>& take);

}  // namespace shingled::storage::counters
