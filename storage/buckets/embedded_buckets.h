#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "storage/buckets/bucket_flusher.h"
#include "storage/buckets/bucket_table.h"

namespace shingled::storage::buckets {

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
