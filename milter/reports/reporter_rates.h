#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "config/base/clock.h"
#include "config/base/leaky_bucket.h"
#include "config/options/ratelimit_options.h"

namespace shingled::milter::reports {

/// How many reports of each person are taken in a time. Kept in memory: a start forgets it.
/// Threads: one thread at a time.
class ReporterRates {
 public:
  /// People who are remembered; if there are more, those whose buckets are empty are forgotten,
  /// and if nobody's is, the new one is not bounded.
  static constexpr std::size_t kPeopleMax = 100'000;

  /// Whether a report of this person (its id) exceeds the rate. It is counted if it does not.
  bool is_too_many(std::uint64_t person, const BucketRate& rate, TimePoint now) {
    if (!rate.limits()) return false;
    if (buckets_.size() >= kPeopleMax && !buckets_.contains(person)) {
      std::erase_if(buckets_, [&](const auto& entry) { return entry.second.is_empty(now); });
      if (buckets_.size() >= kPeopleMax) return false;
    }
    return !buckets_[person].try_add(1, LeakRate(rate.leak, rate.burst), now);
  }
  /// Does not count one that was not taken.
  void take_back(std::uint64_t person, const BucketRate& rate, TimePoint now) {
    const auto found = buckets_.find(person);
    if (found != buckets_.end()) found->second.take_back(1, LeakRate(rate.leak, rate.burst), now);
  }

 private:
  std::map<std::uint64_t, LeakyBucket> buckets_;
};

}  // namespace shingled::milter::reports
