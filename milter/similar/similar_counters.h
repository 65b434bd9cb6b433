#pragma once

#include <map>
#include <string>

#include "config/base/guarded.h"
#include "config/metrics/instruments.h"
#include "config/metrics/metric_report.h"
#include "milter/similar/similar_facts.h"

namespace shingled::milter::similar {

/// What the library of known files found in the mail since the start.
/// Threads: any thread.
class SimilarCounters {
 public:
  void searched(const SimilarFacts& facts, Duration time);
  /// Nothing while nothing was ever looked up.
  void report(MetricReport& report) const;

 private:
  using Counts = std::map<std::string, std::uint64_t, std::less<>>;

  EventCount pieces_;
  EventCount containers_;
  Histogram time_{kLatencyShape};
  mutable Guarded<Counts> hits_;   ///< by list; settings name at most 100 at a time
  mutable Guarded<Counts> notes_;  ///< by phrase; there are a handful
};

}  // namespace shingled::milter::similar
