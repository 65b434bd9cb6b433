#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/base/periodic_task.h"
#include "config/base/result.h"
#include "config/metrics/instruments.h"
#include "mime/fingerprint/piece_type.h"
#include "storage/model/update_queue.h"
#include "storage/sqlite/counters/piece_name_table.h"

namespace shingled {
class MetricReport;  // config/metrics/metric_report.h
}

namespace shingled::storage::counters {

/// The texts of counted pieces (`counters.names`), so that `top` can show more than a shingle. Not
/// more than `counters.names_max` of them are kept: those that were seen last.
///
/// Threads: any thread; one inside, "counter-names", that writes them to a file in batches. The
///          destructor writes what is left.
class PieceNames {
 public:
  /// The texts that wait for the file. What exceeds it is dropped and counted.
  static constexpr std::size_t kWaitingMax = 20'000;
  static constexpr std::chrono::hours kNotedAgainAfter{1};
  static constexpr std::size_t kRecentMax = 200'000;  ///< texts of that time

  /// `path`: of the file, which is made if it is not there. `most`: texts kept.
  /// Errors: those of PieceNameTable.
  static Result<std::unique_ptr<PieceNames>> open(const std::string& path, std::size_t most,
                                                  const Clock& clock, Logger& logger);
  /// The caller has to call `write`.
  static Result<std::unique_ptr<PieceNames>> open_without_thread(const std::string& path,
                                                                 std::size_t most,
                                                                 const Clock& clock,
                                                                 Logger& logger);
  ~PieceNames();
  PieceNames(const PieceNames&) = delete;
  PieceNames& operator=(const PieceNames&) = delete;
  PieceNames(PieceNames&&) = delete;
  PieceNames& operator=(PieceNames&&) = delete;

  /// Remembers a text. One that was noted within kNotedAgainAfter costs a look-up in memory.
  /// Does not wait for the disk.
  void remember(PieceType type, std::uint64_t shingle, std::string_view text);
  /// nullopt if the text is not known. Reads the file.
  std::optional<std::string> find(PieceType type, std::uint64_t shingle);
  /// Writes what waits. What cannot be written waits for the next time.
  Status write();
  void report(MetricReport& report) const;

 private:
  struct Key {
    std::uint8_t type = 0;
    std::uint64_t shingle = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>(key.shingle ^ key.type);  // shingles are hashes
    }
  };
  using Texts = std::unordered_map<Key, std::string, Hash>;
  struct Noted {
    Texts waiting;
    Texts writing;  ///< in the transaction under way
    RecentSet<std::unordered_set<Key, Hash>> recent{kNotedAgainAfter, kRecentMax};
  };
  struct Disk {
    std::unique_ptr<sqlite::PieceNameTable> table;
    Outage outage;
  };

  PieceNames(std::unique_ptr<sqlite::PieceNameTable> table, std::size_t most, const Clock& clock,
             Logger& logger);
  Status write_to(Disk& disk);

  const std::size_t most_;
  const Clock& clock_;
  Logger& logger_;
  Guarded<Noted> noted_;
  Guarded<Disk> disk_;  ///< first of both locks
  std::atomic<std::size_t> kept_{0};
  EventCount dropped_;
  std::optional<PeriodicTask> task_;  ///< last: it uses all of the above
};

}  // namespace shingled::storage::counters
