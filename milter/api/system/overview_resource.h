#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/metrics/metric_report.h"
#include "milter/api/messages/message_resource.h"
#include "milter/api/route.h"
#include "milter/api/system/overview_advice.h"
#include "milter/history/traffic_summary.h"

namespace shingled::milter::api {

/// What happens now, what a person should look at, and what is not set up yet (API.md, "Overview").
///
///   GET /api/1/overview?span=1h|24h|14d
///
/// Threads: any thread.
/// Cost:    reads the rows of the history that are new, and for kWorkTime at most those of before
///          that it has not read yet: `complete` tells whether there are more. Nothing while nobody
///          asks.
class OverviewResource {
 public:
  static constexpr std::chrono::milliseconds kWorkTime{100};

  struct Advice {
    std::vector<Attention> attention;
    std::vector<SetupStep> setup;
  };
  /// `advise`: of these metrics. `metrics` and `clock` must outlive it.
  OverviewResource(MessageResource::OpenHistory history, const MetricRegistry& metrics,
                   std::function<Advice(const MetricReport&)> advise, const Clock& clock)
      : history_(std::move(history)),
        metrics_(metrics),
        advise_(std::move(advise)),
        clock_(clock) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  [[nodiscard]] http::HttpReply overview(const Call& call) const;

  const MessageResource::OpenHistory history_;
  const MetricRegistry& metrics_;
  const std::function<Advice(const MetricReport&)> advise_;
  const Clock& clock_;
  mutable Guarded<history::TrafficSummary> traffic_;
};

}  // namespace shingled::milter::api
