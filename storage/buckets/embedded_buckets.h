#pragma once

#include "config/base/clock.h"
#include "config/base/random.h"
#include "storage/buckets/bucket_table.h"

namespace shingled::storage {

/// The buckets of this process alone.   Threads: any thread. It never waits for anybody.
class EmbeddedBuckets final : public BucketStore {
 public:
  EmbeddedBuckets(std::size_t most, Clock& clock, Random& random);

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
  Clock& clock_;
  BucketTable table_;
};

}  // namespace shingled::storage
