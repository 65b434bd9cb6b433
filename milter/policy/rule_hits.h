#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "config/metrics/instruments.h"
#include "config/metrics/metric_report.h"
#include "milter/policy/compile_rules.h"

namespace shingled::milter::policy {

/// How often each rule fired since the start. A rule that is gone is forgotten, so there are never
/// more numbers than rules.
/// Threads: any thread.
class RuleHits {
 public:
  /// By rule; those that were there before, as they are in or out of shadow now, go on.
  std::vector<std::shared_ptr<EventCount>> use(const CompiledRules& rules);
  void report(MetricReport& report) const;

 private:
  using Key = std::pair<std::string, bool>;  ///< name, shadow
  mutable Guarded<std::map<Key, std::shared_ptr<EventCount>>> hits_;
};

}  // namespace shingled::milter::policy
