#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/base/periodic_task.h"
#include "config/base/random.h"
#include "storage/buckets/bucket_table.h"
#include "storage/sqlite/buckets/bucket_file.h"

namespace shingled::storage::buckets {

/// The time of day in nanoseconds. Whole seconds would be too coarse: a message too many or too few
/// would pass after a restart.
using WallMoment = std::chrono::sys_time<std::chrono::nanoseconds>;
using WallSource = std::function<WallMoment()>;
/// The time of day of the system's clock.
WallMoment system_wall();

struct BucketFlusherOptions {
  std::string path;
  std::size_t rows_max = 0;  ///< in the file; if there are more, the file is written anew
  /// Rows per transaction, which takes 50 MB while it is made. The rows of a slice are sorted by
  /// key, so they go through the file once. In another order almost every row of a large file
  /// would cost a page of its own.
  std::size_t slice_rows = 262'144;
  std::chrono::milliseconds pause{5000};  ///< between two passes over the table
  WallSource wall = system_wall;
};

/// Keeps a table in a file: reads the file at the start, writes the changed buckets every `pause`
/// in a few transactions, and the rest at the end.
///
/// The file holds the time of day at which each bucket will be empty, so buckets leak while the
/// daemon is down. When the time of day jumps, all buckets are written anew. If it went back while
/// the daemon was down, nothing leaked during that time. After kill -9 the changes since the last
/// pass are lost, so that amount may pass again. A disk that refuses a write is logged once, and
/// once more when it accepts everything again.
///
/// Threads: any thread; one inside, "buckets".
/// Cost: a shard of the table is locked for 512 slots at a time, about 50 us.
class BucketFlusher {
 public:
  /// Fills the table, which must be empty, with the buckets of the file.
  /// Errors: those of BucketFile.
  static Result<std::unique_ptr<BucketFlusher>> open(const BucketFlusherOptions& options,
                                                     BucketTable& table, Clock& clock,
                                                     Logger& logger);
  ~BucketFlusher();
  BucketFlusher(const BucketFlusher&) = delete;
  BucketFlusher& operator=(const BucketFlusher&) = delete;
  BucketFlusher(BucketFlusher&&) = delete;
  BucketFlusher& operator=(BucketFlusher&&) = delete;

  /// Makes one pass over the table now.
  Status save();

 private:
  struct Disk {
    std::unique_ptr<sqlite::BucketFile> file;
    Duration offset{};          // the time of day minus the clock's time, at the last pass
    std::size_t rows_most = 0;  // upper bound for the number of rows in the file
    Outage outage;
  };
  using Changes = std::vector<BucketTable::Change>;

  BucketFlusher(const BucketFlusherOptions& options, std::unique_ptr<sqlite::BucketFile> file,
                BucketTable& table, Clock& clock, Logger& logger);
  Status load();
  Status save_all(Disk& disk);
  Status write(Disk& disk, Changes& changes) const;
  Status limit(Disk& disk) const;

  const BucketFlusherOptions options_;
  BucketTable& table_;
  Clock& clock_;
  Logger& logger_;
  Guarded<Disk> disk_;
  std::optional<PeriodicTask> task_;  ///< last: starts when all other members are there
};

/// The buckets of this process alone, in memory and optionally kept in a file.
/// Threads: any thread. No call waits for a disk; with a file BucketFlusher has a thread for that.
class EmbeddedBuckets final : public BucketStore {
 public:
  /// In memory only.
  EmbeddedBuckets(std::size_t most, Clock& clock, Random& random);
  /// Kept in the file `path`.
  /// Errors: those of BucketFlusher.
  static Result<std::unique_ptr<EmbeddedBuckets>> open(std::size_t most, const std::string& path,
                                                       Clock& clock, Random& random,
                                                       Logger& logger);

  BucketAnswer take(std::span<const BucketDemand> demands, TimePoint deadline) override;
  void give_back(std::span<const BucketDemand> demands, const BucketAnswer& answer,
                 TimePoint deadline) override;
  Result<std::vector<BucketState>> list(std::string_view part, std::size_t most,
                                        TimePoint deadline) override;
  Result<std::optional<BucketState>> show(std::string_view key, TimePoint deadline) override;
  Result<bool> reset(std::string_view key, TimePoint deadline) override;
  Status set(std::string_view key, const LeakRate& rate, double drops, TimePoint deadline) override;
  void report(MetricReport& report) const override;

 private:
  EmbeddedBuckets(std::size_t most, BucketTable::Kept kept, Clock& clock, Random& random);

  Clock& clock_;
  BucketTable table_;
  std::unique_ptr<BucketFlusher> flusher_;  ///< last, so destroyed first: it saves the table
};

}  // namespace shingled::storage::buckets
