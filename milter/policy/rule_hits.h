#pragma once

#include <map>
#include <memory>
#include <span>
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
  /// The counts of rules, by rule; those of rules in force, as they are in or out of shadow now,
  /// continue. Changes nothing.
  [[nodiscard]] std::vector<std::shared_ptr<EventCount>> counts_for(
      const CompiledRules& rules) const;
  /// These rules are in force from now on. `counts`: from counts_for().
  void use(const CompiledRules& rules, std::span<const std::shared_ptr<EventCount>> counts);
  void report(MetricReport& report) const;

 private:
  using Key = std::pair<std::string, bool>;  ///< name, shadow
  mutable Guarded<std::map<Key, std::shared_ptr<EventCount>>> hits_;
};

}  // namespace shingled::milter::policy
