#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "config/base/guarded.h"
#include "config/metrics/metric_report.h"

namespace shingled::milter::ratelimit {

/// What the limits did since the start, by type of buckets. Bound: as many types as settings named.
/// Threads: any thread.
/// Cost: one lock a decision.
class LimitCounters {
 public:
  enum class Event : std::uint8_t {
    kTaken,      ///< a drop went into a bucket
    kRefused,    ///< a bucket was full: put off, or would have been
    kMarked,     ///< a bucket was over its burst: the message got the symbol
    kGivenBack,  ///< a drop of a message that was not accepted
  };

  void count(std::string_view type, Event event, std::uint64_t times = 1);
  void report(MetricReport& report) const;

 private:
  static constexpr std::size_t kEvents = 4;
  using Counts = std::array<std::uint64_t, kEvents>;
  mutable Guarded<std::map<std::string, Counts, std::less<>>> by_type_;
};

}  // namespace shingled::milter::ratelimit
