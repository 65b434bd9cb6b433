#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/base/periodic_task.h"
#include "storage/buckets/bucket_table.h"
#include "storage/sqlite/bucket_file.h"

namespace shingled::storage::buckets {

/// The time of day, finely: what is stored in whole seconds would let pass a message too many, or
/// too few.
using WallMoment = std::chrono::sys_time<std::chrono::nanoseconds>;
using WallSource = std::function<WallMoment()>;
/// The machine's.
WallMoment system_wall();

struct BucketFlusherOptions {
  std::string path;
  std::size_t rows_max = 0;  ///< of the file; beyond, it is written anew
  /// Of a transaction; 50 MB while it is made. A slice goes through the file once, from its first
  /// key to its last: in another order almost every row of a large file would cost a page of its
  /// own.
  std::size_t slice_rows = 262'144;
  std::chrono::milliseconds pause{5000};  ///< between two passes over the table
  WallSource wall = system_wall;
};

/// Keeps a table in a file: reads it at the start, writes what changed every `pause` in a few
/// transactions, and the rest at the end.
///
/// What is stored is the moment at which a bucket will be empty, by the time of day, so it leaks
/// while nobody runs. When that clock jumps all is written anew; if it went back while nobody ran,
/// nothing leaked meanwhile. After kill -9 what changed since the last pass is lost, so much more
/// may pass then. A disk that refuses is logged once, and once when it takes everything again.
///
/// Threads: any thread; one inside, "buckets".
/// Cost: a part of the table is locked for 512 places at a time, some 50 us.
class BucketFlusher {
 public:
  /// The table, which is empty, gets what the file has.
  /// Errors: those of BucketFile.
  static Result<std::unique_ptr<BucketFlusher>> open(const BucketFlusherOptions& options,
                                                     BucketTable& table, Clock& clock,
                                                     Logger& logger);
  ~BucketFlusher();
  BucketFlusher(const BucketFlusher&) = delete;
  BucketFlusher& operator=(const BucketFlusher&) = delete;
  BucketFlusher(BucketFlusher&&) = delete;
  BucketFlusher& operator=(BucketFlusher&&) = delete;

  /// One pass, now.
  Status save();

 private:
  struct Disk {
    std::unique_ptr<sqlite::BucketFile> file;
    Duration offset{};          // of the time of day to the clock, at the last pass
    std::size_t rows_most = 0;  // there are no more than so many
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
  std::optional<PeriodicTask> task_;  ///< last: starts when all else is there
};

}  // namespace shingled::storage::buckets
